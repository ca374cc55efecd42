import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { allRoutes } from '../../../infra/openapi/apps.ts'
import { openApiDocument } from '../../../infra/openapi/document.ts'
import type { Answer } from '../stand/stand.ts'

interface Header {
  required: boolean
}
interface Response {
  headers?: Record<string, Header | { $ref: string }>
  content?: Record<string, unknown>
}
interface Operation {
  operationId: string
  responses: Record<string, Response | { $ref: string }>
}

/** The document of functions/reference/openapi.json (see test/api/openapi.test.ts) and of the reference's page. */
const document = JSON.parse(JSON.stringify(openApiDocument(allRoutes()))) as {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response>; headers: Record<string, Header> }
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
formats.default(ajv)
ajv.addFormat('json-pointer', /^(\/([^~/]|~[01])*)*$/)
ajv.addSchema(closed(document) as object, 'openapi')
const validators = new Map<string, ValidateFunction>()

/** Throws an Error that says where, unless the OpenAPI document describes this answer: its status, every header, its body. */
export function assertDocumented(method: string, path: string, answer: Answer): void {
  const fault = undocumented(method, path, answer)
  if (fault) throw new Error(`${method} ${path} → ${answer.status} ${fault}: ${JSON.stringify(answer).slice(0, 2000)}`)
}

function undocumented(method: string, path: string, answer: Answer): string | undefined {
  const { place, response } = describedResponse(method, path, answer.status)
  if (!response) return 'is not in the OpenAPI document'
  const { 'content-type': contentType, ...headers } = answer.headers
  const mediaType = contentType?.split(';')[0]
  const headerFault = faultOfHeaders(headers, response.headers ?? {})
  if (headerFault) return headerFault

  if (method === 'HEAD' || !response.content) {
    if (answer.body !== undefined) return 'has a body'
    return method !== 'HEAD' && mediaType ? 'has a media type but no body' : undefined
  }
  if (!mediaType || !(mediaType in response.content)) return `has the undocumented media type ${mediaType}`
  const fault = faultOf(`${place}/content/${pointerToken(mediaType)}/schema`, answer.body)
  return fault && `has a body that ${fault}`
}

function faultOfHeaders(headers: Record<string, string>, documented: NonNullable<Response['headers']>) {
  for (const [name, value] of Object.entries(headers)) {
    const known = Object.keys(documented).find((candidate) => candidate.toLowerCase() === name)
    if (!known) return `has the undocumented header ${name}`
    const fault = faultOf(`#/components/headers/${known}/schema`, value)
    if (fault) return `has a header ${name} that ${fault}`
  }
  const missing = Object.entries(documented).find(([name, header]) => {
    const { required } = '$ref' in header ? document.components.headers[name]! : header
    return required && !(name.toLowerCase() in headers)
  })
  return missing && `lacks the header ${missing[0]}`
}

/** The documented response, with its JSON Pointer; for an unknown route or method the one that all routes share. */
function describedResponse(method: string, path: string, status: number): { place: string; response?: Response } {
  const template = templateOf(path)
  const described = method === 'HEAD' ? 'get' : method.toLowerCase()
  const methods = template === undefined ? {} : document.paths[template]!
  const operation = Object.hasOwn(methods, described) ? methods[described] : undefined
  if (!operation) {
    const name = template === undefined ? 'RouteNotFound' : 'MethodNotAllowed'
    const isOwn = status === (template === undefined ? 404 : 405)
    return { place: `#/components/responses/${name}`, ...(isOwn && { response: document.components.responses[name]! }) }
  }
  const response = operation.responses[status]
  if (response && '$ref' in response)
    return { place: response.$ref, response: document.components.responses[response.$ref.split('/').at(-1)!]! }
  const place = `#/paths/${pointerToken(template!)}/${described}/responses/${status}`
  return { place, ...(response && { response }) }
}

/** The path as the document writes it; a literal segment wins over a variable. */
function templateOf(path: string): string | undefined {
  // An external id may have slashes.
  const segments = path.replace(/(?<=^\/v1\/agents\/[^/]+\/knowledge-base\/by-external-id\/).+/s, 'id').split('/')
  const matching = Object.keys(document.paths).filter((template) => {
    const parts = template.split('/')
    const fits = (part: string, i: number) => part === segments[i] || (part.startsWith('{') && segments[i] !== '')
    return parts.length === segments.length && parts.every(fits)
  })
  return matching.toSorted((a, b) => a.split('{').length - b.split('{').length)[0]
}

function faultOf(schema: string, value: unknown): string | undefined {
  const validate = validators.get(schema) ?? ajv.compile({ $ref: `openapi${schema}` })
  validators.set(schema, validate)
  return validate(value) ? undefined : `breaks its schema (${ajv.errorsText(validate.errors)})`
}

/** Answers may gain fields within /v1, so the document leaves them open; a test takes no field that it does not name. */
function closed(node: unknown, isPart = false): unknown {
  if (Array.isArray(node)) return node.map((element) => closed(element, isPart))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([keyword, value]) => [
    keyword,
    closed(value, /^(all|one)Of$/.test(keyword)),
  ])
  const copy = Object.fromEntries(entries)
  const isObject = 'properties' in copy && copy.type === 'object'
  return isObject && !isPart ? { ...copy, unevaluatedProperties: false } : copy
}

function pointerToken(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}
