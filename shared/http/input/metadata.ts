import * as v from 'valibot'
import { anyObject } from './fields.ts'
import { isStorableJson } from './json-body.ts'
import { parseBounded } from './json-levels.ts'

const maxBytes = 16 * 1024
const maxKeys = 64
const maxLevels = 8
/** jsonb prints numbers in plain decimal form: within these magnitudes at most 34 characters. */
const minMagnitude = 1e-15
const magnitudeLimit = 1e21

type Limits = { values: number; inArrays: number }

/** Metadata of a chunk or document: a JSON object that jsonb stores unchanged. */
export const metadata = jsonObject({ values: 256, inArrays: 256 }, 'A JSON object.')

/** Postgres compares each value in an array with each value in the stored array: the limits bound the cost of a search. */
export const metadataFilter = (description: string) => jsonObject({ values: 64, inArrays: 8 }, description)

/** A filter as a query parameter. */
export const metadataFilterAsJson = (description: string) =>
  v.pipe(
    v.string('must be given once'),
    v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
      try {
        const value = parseBounded(dataset.value)
        if (isStorableJson(value)) return value
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
      }
      addIssue({ message: 'must be a JSON object, percent-encoded' })
      return NEVER
    }),
    metadataFilter(description),
    v.metadata({ type: 'string', contentMediaType: 'application/json' }),
  )

function jsonObject(limits: Limits, description: string) {
  const inArrays = limits.inArrays < limits.values ? ` (${limits.inArrays} of them in arrays)` : ''
  return v.pipe(
    anyObject,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const message = issueOf(dataset.value, limits)
      if (message) addIssue({ message })
    }),
    v.metadata({
      type: 'object',
      description: `${description} At most ${maxBytes / 1024} KiB, ${maxKeys} keys, ${maxLevels} levels and ${limits.values} values in total${inArrays}. A number must be 0 or have a magnitude of at least 1e-15 and less than 1e21. The key \`__proto__\` is not allowed.`,
    }),
  )
}

/** Counts a container's values before it looks at them, so that a huge one costs no walk. */
function issueOf(root: Record<string, unknown>, limits: Limits): string | undefined {
  let keys = 0
  let values = 0
  let inArrays = 0
  let level: { container: object; isInArray: boolean }[] = [{ container: root, isInArray: false }]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxLevels) return `must have at most ${maxLevels} levels`
    const next: typeof level = []
    for (const { container, isInArray } of level) {
      const isArray = Array.isArray(container)
      const names = isArray ? [] : Object.keys(container)
      const size = isArray ? container.length : names.length
      keys += names.length
      values += size
      if (isArray || isInArray) inArrays += size
      if (keys > maxKeys) return `must have at most ${maxKeys} keys`
      if (values > limits.values) return `must have at most ${limits.values} values`
      if (inArrays > limits.inArrays) return `must have at most ${limits.inArrays} values in arrays`
      if (names.includes('__proto__')) return 'must not have the key __proto__'
      for (const value of Object.values(container)) {
        if (typeof value === 'number' && !isStorable(value))
          return 'must have only numbers that are 0 or have a magnitude of at least 1e-15 and less than 1e21'
        if (typeof value === 'object' && value !== null)
          next.push({ container: value, isInArray: isArray || isInArray })
      }
    }
    level = next
  }
  if (Buffer.byteLength(JSON.stringify(root)) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`
  return undefined
}

function isStorable(number: number): boolean {
  const magnitude = Math.abs(number)
  return magnitude === 0 || (magnitude >= minMagnitude && magnitude < magnitudeLimit)
}
