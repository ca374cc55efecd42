import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prefetchBody, prefetchResponse, searchBody, searchResponse } from '../../../functions/search/schemas.ts'
import { problems } from '../../../shared/http/errors.ts'
import { type JsonSchema, schemaConverter } from '../../openapi/json-schema.ts'
import { problemSchemas } from '../../openapi/problems.ts'

const { components, convert } = schemaConverter()
const schemas: Record<string, JsonSchema> = {
  searchBody: convert(searchBody, 'request'),
  prefetchBody: convert(prefetchBody, 'request'),
  prefetchResponse: convert(prefetchResponse, 'response'),
  searchResponse: convert(searchResponse, 'response'),
}

/** The text of the package's index.d.ts: the library's own types, with those of the schemas written out, so that it needs no package. */
export function declarations(): string {
  const source = readFileSync(join(import.meta.dirname, '../agent.ts'), 'utf8')
  const own = source
    .slice(source.indexOf('export '))
    .replace(/v\.Infer\w+<typeof (\w+)>/g, (_, name: string) => typeOf(schemas[name]!))
  const { InputError } = problemSchemas
  const errorCode = { enum: Object.keys(problems) }
  const ofSchemas = Object.entries({ ...components, InputError: InputError!, ErrorCode: errorCode }).map(
    ([name, schema]) => `${commentOf(schema)}export type ${name} = ${typeOf(schema)}\n`,
  )
  return [
    '/// <reference lib="esnext.disposable" />\n',
    own,
    "/** Opens an agent's knowledge in this process, and follows its changes until `close`. @throws CuecardError as the service answers; Error without an answer or a cache */",
    'export declare function openAgent(options: AgentOptions): Promise<Agent>\n',
    'export declare const CuecardError: new (code: ErrorCode, detail: string) => CuecardError\n',
    ...ofSchemas,
  ].join('\n')
}

/** @throws Error for a schema with another type */
function typeOf(schema: JsonSchema): string {
  const { $ref, enum: values, anyOf, type, items, properties } = schema
  if (typeof $ref === 'string') return $ref.slice('#/components/schemas/'.length)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' | ')
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ')
  if (type === 'array') return `Array<${typeOf(items as JsonSchema)}>`
  if (type === 'object') return properties ? fieldsOf(schema) : 'Record<string, unknown>'
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
  throw new Error(`There is no TypeScript for ${JSON.stringify(schema)}`)
}

function fieldsOf({ properties, required }: JsonSchema): string {
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return `${commentOf(schema)}${name}${isRequired ? '' : '?'}: ${typeOf(schema)}${isRequired ? '' : ' | undefined'}`
  })
  return `{\n${fields.join('\n').replaceAll(/^/gm, '  ')}\n}`
}

function commentOf({ description }: JsonSchema): string {
  return typeof description === 'string' ? `/** ${description} */\n` : ''
}
