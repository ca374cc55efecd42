import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Permission } from '../../../shared/organizations/permissions.ts'

/** The parts of a JSON Schema that the generators read. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  format?: string
  contentMediaType?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  minProperties?: number
  additionalProperties?: boolean
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

interface Declared {
  operationId: string
  parameters?: Parameter[]
  security?: Record<string, Permission[]>[]
  requestBody?: { content: { 'application/json': { schema: Schema; examples: Record<string, { value: unknown }> } } }
}

export interface Operation {
  id: string
  method: string
  path: string
  /** Undefined if the operation takes no key. */
  permission: Permission | undefined
  parameters: Parameter[]
  body: Schema | undefined
  examples: unknown[]
}

interface Document {
  paths: Record<string, Record<string, Declared>>
  components: { schemas: Record<string, Schema> }
}

/** The document that `GET /v1/openapi.json` serves. */
const served = new URL('../../../functions/reference/openapi.json', import.meta.url)
const document = JSON.parse(readFileSync(served, 'utf8')) as Document

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [], security = [], requestBody }]) => {
    const { schema, examples = {} } = requestBody?.content['application/json'] ?? {}
    return {
      id: operationId,
      method: method.toUpperCase(),
      path,
      permission: security[0] && Object.values(security[0])[0]![0],
      parameters,
      body: schema,
      examples: Object.values(examples).map(({ value }) => value),
    }
  }),
)

/** Resolves a reference to its schema. */
export function resolved(schema: Schema): Schema {
  return schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, unicodeRegExp: true })
formats.default(ajv)
// RFC 9562 has no prefix, which the package allows.
ajv.addFormat('uuid', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)
ajv.addSchema(document, 'openapi')
const validators = new Map<Schema, ValidateFunction>()

/** True if the schema allows the value. A parameter comes as text, which may be a number in decimal digits. */
export function allows(schema: Schema, value: unknown): boolean {
  const validate = validators.get(schema) ?? ajv.compile(withAbsoluteReferences(schema))
  validators.set(schema, validate)
  const isNumber = resolved(schema).type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value)
  return validate(isNumber ? Number(value) : value)
}

function withAbsoluteReferences(schema: Schema): Schema {
  return schema.$ref ? { ...schema, $ref: `openapi${schema.$ref}` } : schema
}
