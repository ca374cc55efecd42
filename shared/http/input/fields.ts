import * as v from 'valibot'

/** The most unknown fields that one object is told of: a body may hold a million. */
const maxUnknownFields = 100

/**
 * An object of exactly these fields. Beyond Valibot's `strictObject` it names every unknown field, not the first alone, and
 * takes no array for an object.
 */
export function fields<const E extends v.ObjectEntries>(entries: E) {
  const schema = v.strictObject(entries, 'must be an object')
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
      for (const key of unknown.slice(1, maxUnknownFields))
        v._addIssue(this, 'key', result, config, {
          input: key,
          expected: 'never',
          path: [{ type: 'object', origin: 'key', input: input as Record<string, unknown>, key, value: undefined }],
        })
      return result
    },
  } as typeof schema
}

/**
 * An array of `least` to `most` items. The length goes first, so that an endless list costs one fault and no look at its items.
 * @param items what the items are called, such as `chunks`
 */
export function listOf<S extends v.GenericSchema<unknown, unknown>>(
  item: S,
  { items, least = 0, most }: { items: string; least?: number; most: number },
) {
  return v.pipe(
    v.custom<v.InferInput<S>[]>(Array.isArray, `must be an array of ${items}`),
    v.minLength(least, `must hold at least ${least} of ${items}`),
    v.maxLength(most, `must hold at most ${most} ${items}`),
    v.array(item),
    v.metadata({ minItems: least, maxItems: most }),
  )
}

/** At most so many characters, counted as Unicode code points like JSON Schema's `maxLength`. */
export function maxCharacters(most: number) {
  const check = v.check<string, string>(
    (text) => text.length <= most || (text.length <= 2 * most && countCodePoints(text) <= most),
    `must have at most ${most} characters`,
  )
  // The name tells its faults from those of other checks.
  return { ...check, type: 'max_characters' } as unknown as typeof check
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
