import * as v from 'valibot'

/** A strict object that, unlike Valibot's, reports every unknown field up to `maxUnknown`, names the known ones, and rejects arrays. */
export function fields<const E extends v.ObjectEntries>(entries: E, mustBe = 'must be an object', maxUnknown = 100) {
  const names = Object.keys(entries)
  const allowed = names.length > 0 ? `allowed: ${names.join(', ')}` : 'none is allowed'
  const schema = v.strictObject(entries, ({ expected }: v.BaseIssue<unknown>) =>
    expected === 'never' ? allowed : mustBe,
  )
  return {
    ...schema,
    '~run'(dataset, config) {
      const input = dataset.value
      if (Array.isArray(input)) {
        v._addIssue(this, 'type', dataset, config)
        return dataset as unknown as ReturnType<(typeof schema)['~run']>
      }
      const result = schema['~run'](dataset, config)
      const unknown = Object.keys(input ?? {}).filter((key) => !Object.hasOwn(entries, key))
      for (const key of unknown.slice(1, maxUnknown))
        v._addIssue(this, 'key', result, config, {
          input: key,
          expected: 'never',
          path: [{ type: 'object', origin: 'key', input: input as Record<string, unknown>, key, value: undefined }],
        })
      return result
    },
  } as typeof schema
}

export function described<S extends v.GenericSchema<unknown, unknown>>(schema: S, description: string) {
  return v.pipe(schema, v.description(description))
}

/** A strict object of any of the fields, at least one. */
export function someOf<const E extends v.ObjectEntries>(entries: E) {
  const names = Object.keys(entries).join(', ')
  return v.pipe(
    fields(v.partial(v.object(entries)).entries),
    v.check((sent) => Object.keys(sent).length > 0, `must hold at least one of ${names}`),
  )
}

/** Checks the length first: a huge list costs one error and no checks of its elements. */
export function listOf<S extends v.GenericSchema<unknown, unknown>>(
  item: S,
  { items, min = 0, max }: { items: string; min?: number; max: number },
) {
  const range = min > 0 ? `must have between ${min} and ${max} ${items}` : `must have at most ${max} ${items}`
  return v.pipe(
    v.custom<v.InferInput<S>[]>(Array.isArray, `must be an array of ${items}`),
    v.minLength(min, range),
    v.maxLength(max, range),
    v.array(item),
    v.metadata({ minItems: min, maxItems: max }),
  )
}

export function between(min: number, max: number) {
  const range = `must be between ${min} and ${max}`
  return v.pipe(v.number('must be a number'), v.minValue(min, range), v.maxValue(max, range))
}

export function integer(min: number, max: number) {
  const range = `must be between ${min} and ${max}`
  return v.pipe(
    v.number('must be a number'),
    v.integer('must be an integer'),
    v.minValue(min, range),
    v.maxValue(max, range),
  )
}

export function printable(max: number) {
  return v.pipe(
    v.string('must be a string'),
    v.minLength(1, 'must not be empty'),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it excludes
    v.regex(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$/, 'must have printable characters only'),
    maxCharacters(max),
    v.metadata({ maxLength: max }),
  )
}

export function maxCharacters(max: number) {
  const check = v.check<string, string>(
    (text) => text.length <= max || (text.length <= 2 * max && countCodePoints(text) <= max),
    `must have at most ${max} characters`,
  )
  return { ...check, type: 'max_characters' } as unknown as typeof check
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A JSON object with any fields: Valibot's own schemas of objects take arrays too, and drop some keys. */
export const anyObject = v.custom<Record<string, unknown>>(isObject, 'must be an object')

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
