import fc from 'fast-check'
import { resolved, type Schema } from '../document.ts'
import { valid, vector } from './valid.ts'

/** Values that fields rarely expect. The last are numbers that JSON can write and a double can hardly hold. */
export const oddValues: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[null, true, '', ' ', 0, -1, 1.5, [], {}, [null], [[]], { $ne: null }, { toString: 1, length: 3 }, 'null'],
  ...['\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\ufeff', '\u202e', 'é'.normalize('NFD')],
  ...["'; drop table documents; --", '{{7*7}}<%= 7*7 %>', '../../etc/passwd', '<theirs.completed>', '<mine.deleted>'],
  ...['9'.repeat(400), Number.MAX_SAFE_INTEGER + 2, -Number.MAX_VALUE, 5e-324, 1e21, 2 ** 31, -(2 ** 63)],
)

const prototypeNames = '__proto__ constructor prototype hasOwnProperty toString'.split(' ')
const prototypeKeys = fc.constantFrom(...prototypeNames, '', '\u0000')
const strangeKeys = fc.constantFrom('extra', 'id', 'organization_id', 'status', 'Title', 'a.b', 'a/b~c', 'é', '$where')

/** Values with one fault anywhere; the schema forbids most. */
export function faulty(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref?.endsWith('/Embedding')) return faultyEmbedding
  const own = resolved(schema)
  const faults = faultsOfType[[own.type].flat()[0] ?? '']
  return fc.oneof(oddValues, ...(faults?.(own) ?? []))
}

const faultsOfType: Record<string, (schema: Schema) => fc.Arbitrary<unknown>[]> = {
  string: faultyText,
  integer: faultyNumber,
  number: faultyNumber,
  array: faultyArray,
  object: (schema) => [...faultyObject(schema), ...faultyObject(schema)],
}

function faultyText({ minLength = 0, maxLength, pattern, format }: Schema): fc.Arbitrary<unknown>[] {
  const texts = [' '.repeat(minLength), '\n\t\u3000'.repeat(Math.max(1, minLength)), 'schlüssel', '"', '\u007f']
  if (minLength > 0) texts.push('x'.repeat(minLength - 1))
  if (maxLength !== undefined && maxLength < 1e5) texts.push('x'.repeat(maxLength + 1), '🚲'.repeat(maxLength + 1))
  if (pattern || format) texts.push('x', '0'.repeat(36), '<mine.completed>0', 'urn:uuid:<mine.completed>')
  return [fc.constantFrom(...texts)]
}

function faultyNumber({ minimum = 0, maximum = 1e6, type }: Schema): fc.Arbitrary<unknown>[] {
  const near = [minimum - 1, maximum + 1, `${minimum}`, -0, 1e300, minimum - 1e-9]
  return [fc.constantFrom<unknown>(...near, ...(type === 'integer' ? [minimum + 0.5, maximum - 1e-9] : []))]
}

function faultyArray({ items = {}, minItems = 0, maxItems }: Schema): fc.Arbitrary<unknown>[] {
  const sound = valid(items)
  const few = fc.array(sound, { maxLength: 2 })
  const oneFault = fc.tuple(few, faulty(items), few).map(([before, fault, after]) => [...before, fault, ...after])
  const twice = sound.map((item) => Array.from({ length: Math.max(2, minItems) }, () => item))
  const most = Math.min(maxItems ?? 5, 300)
  const tooMany = fc.tuple(sound, fc.nat(1)).map(([item, more]) => Array(most + more).fill(item))
  const tooFew = fc.constant(Array(Math.max(0, minItems - 1)).fill(null))
  // A few hundred embeddings would exceed the size of a body.
  const isSmall = !('embedding' in (resolved(items).properties ?? {}))
  return [oneFault, oneFault, oneFault, twice, tooFew, ...(isSmall ? [tooMany] : [])]
}

function faultyObject(schema: Schema): fc.Arbitrary<unknown>[] {
  const sound = valid(schema) as fc.Arbitrary<Record<string, unknown>>
  const fields = Object.entries(schema.properties ?? {})
  const oneFault = fields.map(([name, field]) =>
    fc.tuple(sound, faulty(field)).map(([made, fault]) => ({ ...made, [name]: fault })),
  )
  const without = fields.map(([name]) => sound.map(({ [name]: _, ...others }) => others))
  const withMore = fc
    .tuple(sound, fc.oneof(prototypeKeys, strangeKeys), oddValues)
    .map(([made, name, value]) => Object.fromEntries([...Object.entries(made), [name, value]]))
  const alone = fc.tuple(prototypeKeys, oddValues).map((entry) => Object.fromEntries([entry]))
  return [withMore, alone, ...oneFault, ...oneFault, ...without]
}

const wrongNumbers = fc.constantFrom<unknown>(null, '1', Number.MAX_VALUE, 3.5e38, 1e-320, [], true)
const faultyEmbedding: fc.Arbitrary<unknown> = fc.oneof(
  oddValues,
  fc.constantFrom(0, 1, 1535, 1537, 3072).map((length) => vector(1, false, length)),
  fc.constantFrom(1535, 1537).map((length) => vector(1, true, length)),
  wrongNumbers.map((number) => [number, ...(vector(2, false, 1535) as number[])]),
  fc.constantFrom(0, 1e-10, 1e30, -0).map((number) => Array(1536).fill(number)),
  fc.constantFrom('A', '/', '=', ' ', 'é', '-_').map((filling) => filling.repeat(8192).slice(0, 8192)),
  // NaN and infinity, as floats have them.
  fc.constantFrom('0000c07f', '0000807f').map((float) => Buffer.from(float.repeat(1536), 'hex').toString('base64')),
)

/** An example with one value, somewhere in it, replaced, left out, repeated or renamed. */
export function spoiledExample(example: unknown): fc.Arbitrary<unknown> {
  const [place, act] = [fc.constantFrom(...placesIn(example)), fc.constantFrom('replace', 'drop', 'add')]
  return fc
    .tuple(place, act, oddValues, fc.oneof(prototypeKeys, strangeKeys))
    .map(([place, act, value, name]) => spoil(example, place, act, value, name))
}

type Place = (string | number)[]

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [place, ...entries.flatMap(([key, child]) => placesIn(child, [...place, key]))]
}

function spoil(value: unknown, [key, ...rest]: Place, act: string, odd: unknown, name: string): unknown {
  if (key === undefined) {
    if (act !== 'add' || typeof value !== 'object' || value === null) return odd
    return Array.isArray(value) ? [...value, odd] : Object.fromEntries([...Object.entries(value), [name, odd]])
  }
  const isLast = rest.length === 0
  if (Array.isArray(value)) {
    if (act === 'drop' && isLast) return value.filter((_, i) => i !== key)
    return value.map((child, i) => (i === key ? spoil(child, rest, act, odd, name) : child))
  }
  const entries = Object.entries(value as object)
  if (act === 'drop' && isLast) return Object.fromEntries(entries.filter(([field]) => field !== key))
  return Object.fromEntries(
    entries.map(([field, child]) => [field, field === key ? spoil(child, rest, act, odd, name) : child]),
  )
}
