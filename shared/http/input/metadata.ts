import * as v from 'valibot'

const maxBytes = 16 * 1024
const maxKeys = 64
const maxLevels = 8
/** jsonb keeps and prints numbers in plain decimal form: within these magnitudes it takes at most 34 characters. */
const minMagnitude = 1e-15
const magnitudeLimit = 1e21

interface Limits {
  /** Values at all levels, objects and lists included. */
  values: number
  /** Values inside lists, at all levels. */
  listed: number
}

/**
 * A chunk's metadata: a JSON object that jsonb keeps as it is. The value is passed through untouched (Valibot's `record`
 * would drop some keys).
 */
export const metadata = jsonObject({ values: 256, listed: 256 }, 'A JSON object')

/**
 * An object that a chunk's metadata must contain. Postgres compares each value inside a list with each of the chunk's list,
 * so these bound what a search costs a chunk.
 */
export const metadataFilter = jsonObject(
  { values: 64, listed: 8 },
  'Finds only chunks whose metadata contains this object,',
)

function jsonObject(limits: Limits, description: string) {
  const listed = limits.listed < limits.values ? ` (${limits.listed} of them inside lists)` : ''
  return v.pipe(
    v.custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    ),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const fault = objectFault(dataset.value, limits)
      if (fault) addIssue({ message: fault })
    }),
    v.metadata({
      type: 'object',
      description: `${description} of at most ${maxBytes / 1024} KiB, ${maxKeys} keys, ${maxLevels} levels and ${limits.values} values in all${listed}. Numbers are 0 or of a magnitude from 1e-15 up to, but not including, 1e21; no key is \`__proto__\`.`,
    }),
  )
}

/** Counts what a container holds before it looks inside, so that an endless one costs no walk. */
function objectFault(root: Record<string, unknown>, limits: Limits): string | undefined {
  let keys = 0
  let values = 0
  let listed = 0
  let level: { container: object; isListed: boolean }[] = [{ container: root, isListed: false }]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxLevels) return `must have at most ${maxLevels} levels`
    const next: typeof level = []
    for (const { container, isListed } of level) {
      const isList = Array.isArray(container)
      const names = isList ? [] : Object.keys(container)
      const size = isList ? container.length : names.length
      keys += names.length
      values += size
      if (isList || isListed) listed += size
      if (keys > maxKeys) return `must have at most ${maxKeys} keys`
      if (values > limits.values) return `must have at most ${limits.values} values`
      if (listed > limits.listed) return `must have at most ${limits.listed} values inside lists`
      if (names.includes('__proto__')) return 'must have no key __proto__'
      for (const value of Object.values(container)) {
        if (typeof value === 'number' && !isPlain(value))
          return 'must hold only numbers that are 0 or of a magnitude from 1e-15 up to, but not including, 1e21'
        if (typeof value === 'object' && value !== null) next.push({ container: value, isListed: isList || isListed })
      }
    }
    level = next
  }
  if (Buffer.byteLength(JSON.stringify(root)) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`
  return undefined
}

function isPlain(number: number): boolean {
  const magnitude = Math.abs(number)
  return magnitude === 0 || (magnitude >= minMagnitude && magnitude < magnitudeLimit)
}
