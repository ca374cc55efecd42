import { type ErrorCode, problems } from '../../shared/http/errors.ts'
import type { Answer, RouteMetadata } from '../../shared/http/route-metadata.ts'
import { allRoutes, type Route } from './apps.ts'
import { answerHeaders, headersOf, optionalHeaders } from './headers.ts'
import { type JsonSchema, schemaConverter } from './json-schema.ts'
import { errorsOf, problemName, problemResponse, problemSchemas, throttled } from './problems.ts'

const description = `The knowledge base that voice agents consult in mid-call: text documents that are chunked and embedded for search, or chunks and embeddings of your own.

**Keys.** Send your API key in \`X-API-Key\`. It belongs to one organization and holds some of the permissions \`kb:read\`, \`kb:write\`, \`organization:read\`, \`organization:write\`; each operation names the one that it needs. What belongs to another organization is answered like what never existed.

**Errors** are problem details (RFC 9457) with a stable \`code\`. What is refused has changed nothing. An unknown route is 404 \`route_not_found\`; a known one with another method is 405 \`method_not_allowed\` with \`Allow\`. Checks come in this order: route, key, permission, parameters, media type, size, JSON, schema, existence, If-Match, state. Unknown fields and parameters are refused, never ignored.

**Bodies** are JSON in UTF-8, uncompressed, at most 6,000,000 bytes.

**Lists** come in pages: follow \`next_cursor\` or the \`Link\` header while \`has_more\`. Nothing is skipped or repeated when others add or remove items meanwhile.

**Retries.** POST takes an \`Idempotency-Key\`, which makes it safe to repeat for 24 hours; while the first request is still running, a repeat may be 409 \`idempotency_in_progress\`. PATCH and DELETE may be repeated as they are, and of a document take \`If-Match\`. The \`detail\` of a 503 says what is known of the change, and what to do.

**The gateway** before the service answers some 413, 429, 431, 500 and 503 by itself, as \`application/json\` with a \`message\` alone: go by the status.

**Changes** within /v1 only add: be ready for fields that you do not know.`

const tags = [
  { name: 'Documents', description: 'Texts that an agent may consult.' },
  { name: 'Chunks', description: 'The passages of a document, made by the service or uploaded by you.' },
  { name: 'Search', description: 'What the agent’s tool asks.' },
  { name: 'Organization', description: 'Settings of the key’s organization.' },
  { name: 'Reference', description: 'This document. Needs no key.' },
]

/** The OpenAPI 3.1 document of all routes, generated from what the routes are checked with. */
export function openApiDocument(routes: Route[] = allRoutes()) {
  const schemas = schemaConverter()
  const responses: Record<string, unknown> = { Throttled: throttled }
  const refer = (codes: ErrorCode[]) => {
    const name = problemName(codes)
    responses[name] ??= problemResponse(codes)
    return { $ref: `#/components/responses/${name}` }
  }

  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, operation: op } of routes) {
    paths[path] ??= {}
    const described = describeOperation(op, path)
    paths[path][method.toLowerCase()] = described
    if (method === 'GET') paths[path].head = asHead(described)
  }
  refer(['route_not_found'])
  refer(['method_not_allowed'])

  function describeOperation(op: RouteMetadata, path: string) {
    const needs = op.permission === 'none' ? '' : `Needs the permission \`${op.permission}\`.`
    return {
      operationId: op.operationId,
      tags: [op.tag],
      summary: op.summary,
      ...((op.description || needs) && { description: [op.description, needs].filter(Boolean).join(' ') }),
      security: op.permission === 'none' ? [] : [{ ApiKey: [op.permission] }],
      ...parametersOf(op, path),
      ...(op.body && {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemas.convert(op.body, 'request'),
              examples: Object.fromEntries(Object.entries(op.examples ?? {}).map(([name, value]) => [name, { value }])),
            },
          },
        },
      }),
      responses: {
        ...Object.fromEntries(Object.entries(op.answers).map(([status, answer]) => [status, describeAnswer(answer)])),
        ...describeErrors(op),
      },
    }
  }

  function parametersOf(op: RouteMetadata, path: string) {
    const places = [
      ['path', op.params],
      ['query', op.query],
      ['header', op.headers],
    ] as const
    const parameters = places.flatMap(([place, schema]) => {
      if (!schema) return []
      const { properties = {}, required = [] } = schemas.convert(schema, 'request') as {
        properties?: Record<string, JsonSchema>
        required?: string[]
      }
      return Object.entries(properties).map(([name, { description, ...of }]) => ({
        name: place === 'header' ? headerCase(name) : name,
        in: place,
        required: required.includes(name),
        description,
        schema: of,
      }))
    })
    for (const [, name] of path.matchAll(/\{(\w+)\}/g))
      if (!parameters.some((parameter) => parameter.name === name)) throw new Error(`${path} does not describe ${name}`)
    return parameters.length > 0 ? { parameters } : {}
  }

  function describeAnswer({ description, schema, example, headers, mediaTypes }: Answer) {
    const json = schema && {
      'application/json': { schema: schemas.convert(schema, 'answer'), ...(example !== undefined && { example }) },
    }
    const other = mediaTypes && Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string' } }]))
    const content = json ?? other
    return { description, headers: headersOf(headers), ...(content && { content }) }
  }

  function describeErrors(op: RouteMetadata) {
    const byStatus = Object.groupBy(errorsOf(op), (code) => problems[code].status)
    const ours = Object.fromEntries(Object.entries(byStatus).map(([status, codes]) => [status, refer(codes!)]))
    return { ...ours, 429: { $ref: '#/components/responses/Throttled' } }
  }

  return {
    openapi: '3.1.1',
    info: {
      title: 'Cuecard',
      version: '1.0.0',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host that serves this document.' }],
    tags,
    paths,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Begins with `cue_`.' },
      },
      schemas: { ...sorted(schemas.components), ...problemSchemas },
      responses: sorted(responses),
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, header]) => [
          name,
          { ...header, required: !optionalHeaders.has(name) },
        ]),
      ),
    },
  }
}

/** HEAD answers like GET, without the body. */
function asHead({
  operationId,
  summary,
  ...operation
}: Record<string, unknown> & { responses: Record<string, unknown> }) {
  const responses = Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const { content: _, ...bodiless } = response as Record<string, unknown>
      return [status, bodiless]
    }),
  )
  return { operationId: `${operationId}Head`, ...operation, summary: `${summary}: headers only`, responses }
}

function headerCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letters) => letters.toUpperCase())
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
