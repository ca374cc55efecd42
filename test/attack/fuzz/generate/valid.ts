import fc from 'fast-check'
import { resolved, type Schema } from '../document.ts'

/** Longer texts are tried one by one elsewhere: they would make every case slow. */
const longest = 40_000

/** Ids in bodies and paths: mostly the sender's own, else another organization's, deleted ones, and one that never was. */
const anyId: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('<mine.completed>', '<mine.own>', '<mine.empty>', '<mine.completed^>') },
  { weight: 1, arbitrary: fc.constantFrom('<theirs.completed>', '<theirs.own>', '<mine.deleted>', '<mine.nephew>') },
  { weight: 1, arbitrary: fc.constantFrom('<never.id>', '<mine.agent>', '<mine.organization>') },
)

/** Words that find stored documents. */
const words = fc.constantFrom('parking', 'Sunday', 'closed', 'prices', 'behind the house', 'x')

/** Storable text of any script: Postgres knows neither U+0000 nor halves of characters. */
export function text(minLength = 0, maxLength = 200): fc.Arbitrary<string> {
  const [min, max] = [minLength, Math.min(maxLength, longest)]
  const any = fc.string({ unit: 'binary', minLength: min, maxLength: Math.min(max, min + 60) })
  return fc.oneof(
    { weight: 4, arbitrary: any.map((characters) => characters.replaceAll('\0', 'x')) },
    { weight: 3, arbitrary: words },
    { weight: 1, arbitrary: fc.constantFrom(min, max).map((length) => '🚲'.repeat(length)) },
  )
}

/** Values that the schema allows. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref?.endsWith('/Embedding')) return embedding
  const own = resolved(schema)
  if (own.const !== undefined) return fc.constant(own.const)
  if (own.enum) return fc.constantFrom(...own.enum)
  if (own.anyOf) return fc.oneof(...own.anyOf.map(valid))
  return ofType[[own.type].flat()[0] ?? '']?.(own) ?? anyJson
}

const ofType: Record<string, (schema: Schema) => fc.Arbitrary<unknown>> = {
  string: validText,
  integer,
  object,
  boolean: () => fc.boolean(),
  number: ({ minimum = -1e9, maximum = 1e9 }) => fc.double({ min: minimum, max: maximum, noNaN: true }),
  array: ({ items = {}, minItems = 0, maxItems = 5 }) =>
    fc.array(valid(items), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) }),
}

function validText({ contentMediaType, format, pattern, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  if (contentMediaType) return fc.constantFrom('{}', '{"branch":"north"}', '{"a":[1,{"b":null}]}')
  if (format === 'uuid') return anyId
  if (pattern === '\\S') return text(minLength, maxLength).filter((value) => /\S/.test(value))
  if (pattern) return fc.stringMatching(new RegExp(pattern))
  return text(minLength, maxLength)
}

function integer({ minimum = -1e6, maximum = 1e6 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
}

function object({ properties = {}, required = [], additionalProperties, minProperties = 0 }: Schema) {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valid(schema)]))
  const known = fc.record(fields, { requiredKeys: required as never[] })
  const more = additionalProperties === true ? fc.dictionary(fieldName, anyJson, { maxKeys: 4 }) : fc.constant({})
  return fc
    .tuple(more, known)
    .map((parts): object => Object.assign({}, ...parts))
    .filter((made) => Object.keys(made).length >= minProperties)
}

const fieldName = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__')

export const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')))

const embedding = fc.tuple(fc.nat(1000), fc.boolean()).map(([seed, isText]): unknown => vector(seed, isText))

export function vector(seed: number, isText: boolean, length = 1536): number[] | string {
  const numbers = Array.from({ length }, (_, i) => Math.sin(seed + i))
  return isText ? Buffer.from(new Float32Array(numbers).buffer).toString('base64') : numbers
}
