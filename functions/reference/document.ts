export interface OpenApi {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Response | Reference>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export type Response = { description: string; content?: Record<string, Content> }

export interface Content {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  contentEncoding?: string
}

type Reference = { $ref: string }

export interface Endpoint extends Operation {
  method: string
  path: string
}

/** All operations except HEAD, which would double the list. */
export function endpointsOf({ paths }: OpenApi): Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

/** The path as the samples show it: `/v1/agents/$AGENT_ID`. */
export function samplePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`)
}

export function successOf(openApi: OpenApi, { responses }: Operation): Response | undefined {
  const [status] = Object.keys(responses)
  return status && Number(status) < 300 ? resolve<Response>(openApi, responses[status]!) : undefined
}

/** How a sample reads the body of an operation's response: as text if a success may also have none. */
export function responseBody(openApi: OpenApi, operation: Operation): 'json' | 'text' | 'none' {
  const mediaTypes = Object.keys(successOf(openApi, operation)?.content ?? {})
  if (mediaTypes.length === 0 || mediaTypes.includes('application/vnd.cuecard.snapshot')) return 'none'
  const others = ['202', '204'].flatMap((status) => operation.responses[status] ?? [])
  const mayBeEmpty = others.some((response) => !resolve<Response>(openApi, response).content)
  return mediaTypes.includes('application/json') && !mayBeEmpty ? 'json' : 'text'
}

/** The part of the document to which `part` refers, or `part` itself. */
export function resolve<T extends object>(openApi: OpenApi, part: T | Reference): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as T
  const keys = part.$ref.slice('#/'.length).split('/')
  return keys.reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], openApi) as T
}

export function exampleOf(content: Content | undefined): unknown {
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value
}
