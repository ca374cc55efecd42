import * as v from 'valibot'

const mostBytes = 16 * 1024
const mostKeys = 64
const mostLevels = 8

/**
 * A chunk's metadata, or a filter on it: a JSON object that jsonb keeps as it is. The value is passed through untouched
 * (Valibot's `record` would drop some keys).
 */
export const metadata = v.pipe(
  v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const fault = metadataFault(dataset.value)
    if (fault) addIssue({ message: fault })
  }),
  v.metadata({
    type: 'object',
    description: `A JSON object of at most ${mostBytes / 1024} KiB, ${mostKeys} keys and ${mostLevels} levels. Numbers are finite; no key is \`__proto__\`.`,
  }),
)

function metadataFault(root: Record<string, unknown>): string | undefined {
  let keys = 0
  let level: unknown[] = [root]
  for (let depth = 1; level.length > 0; depth++) {
    const containers = level.filter((value) => typeof value === 'object' && value !== null)
    if (containers.length > 0 && depth > mostLevels) return `must have at most ${mostLevels} levels`
    if (level.some((value) => typeof value === 'number' && !Number.isFinite(value))) return 'must hold finite numbers'
    for (const container of containers) {
      if (Array.isArray(container)) continue
      const names = Object.keys(container as object)
      keys += names.length
      if (names.includes('__proto__')) return 'must have no key __proto__'
    }
    if (keys > mostKeys) return `must have at most ${mostKeys} keys`
    level = containers.flatMap((container) => Object.values(container as object))
  }
  if (Buffer.byteLength(JSON.stringify(root)) > mostBytes) return `must have at most ${mostBytes} bytes as JSON`
  return undefined
}
