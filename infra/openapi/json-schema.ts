import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

export interface JsonSchema {
  [keyword: string]: unknown
}

/** Actions that `metadata` describes, or that JSON Schema cannot express. */
const unshown = 'check check_items raw_check raw_transform trim to_lower_case transform brand max_characters max_bytes'

const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'output',
  ignoreActions: unshown.split(' '),
  overrideSchema: ({ valibotSchema, jsonSchema }) => (valibotSchema.type === 'custom' ? jsonSchema : undefined),
}

/** Collects schemas with a title as components. Response schemas are open, because fields may be added within /v1. */
export function schemaConverter() {
  const components: Record<string, JsonSchema> = {}

  function convert(schema: GenericSchema<unknown, unknown>, use: 'request' | 'response'): JsonSchema {
    const { $schema: _, ...converted } = toJsonSchema(schema as GenericSchema, conversion)
    return tidy(converted, use) as JsonSchema
  }

  function tidy(node: unknown, use: 'request' | 'response'): unknown {
    if (Array.isArray(node)) return node.map((element) => tidy(element, use))
    if (typeof node !== 'object' || node === null) return node
    const tidied: JsonSchema = {}
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === 'additionalProperties' && value === false && use === 'response') continue
      if (isEmpty(value) && (keyword === 'properties' || keyword === 'required')) continue
      if (keyword === 'properties') tidied[keyword] = mapValues(value as JsonSchema, (schema) => tidy(schema, use))
      else tidied[keyword] = keyword === 'default' || keyword === 'enum' ? value : tidy(value, use)
    }
    if (typeof tidied.const === 'string') tidied.type ??= 'string'
    if (tidied.type === 'object' && !tidied.properties) tidied.additionalProperties ??= true
    return asComponent(withNullType(withDefaultInWords(tidied)))
  }

  function asComponent(schema: JsonSchema): JsonSchema {
    const { title, ...rest } = schema
    if (typeof title !== 'string') return schema
    const known = components[title]
    if (known && JSON.stringify(known) !== JSON.stringify(rest)) throw new Error(`Two schemas are titled ${title}`)
    components[title] = rest
    return { $ref: `#/components/schemas/${title}` }
  }

  return { components, convert }
}

/** Generators take a field with `default` for one that always exists, as in a response, and require it in requests. */
function withDefaultInWords({ default: value, ...schema }: JsonSchema): JsonSchema {
  if (value === undefined) return schema
  const sentences = [schema.description, `Default: \`${JSON.stringify(value)}\`.`]
  return { ...schema, description: sentences.filter(Boolean).join(' ') }
}

function withNullType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second] = anyOf as JsonSchema[]
  return second?.type === 'null' && typeof first?.type === 'string'
    ? { ...first, type: [first.type, 'null'], ...rest }
    : schema
}

export function mapValues<From, To>(record: Record<string, From>, change: (value: From, name: string) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
