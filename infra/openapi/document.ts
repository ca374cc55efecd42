import { type ErrorCode, problems } from '../../shared/http/errors.ts'
import type { ResponseMetadata, RouteMetadata } from '../../shared/http/route-metadata.ts'
import { documentedRoutes, type Route } from './apps.ts'
import { headersOf, optionalHeaders, responseHeaders } from './headers.ts'
import { type JsonSchema, mapValues, schemaConverter } from './json-schema.ts'
import * as errors from './problems.ts'

const description = `The knowledge base that voice agents search during calls: text documents that are chunked and embedded for you, or your own chunks and embeddings.

**Keys.** Send your API key as \`X-API-Key: cue_…\` or as \`Authorization: Bearer cue_…\` (both at once must be the same key). It belongs to one organization and has some of the permissions \`kb:read\`, \`kb:write\`, \`organization:read\`, \`organization:write\`; each operation names the one it needs. Resources of another organization are treated as if they did not exist.

**Errors** are problem details (RFC 9457) with a stable \`code\`. A request that fails with a 4xx status has changed nothing. An unknown route is 404 \`route_not_found\`; a known one with the wrong method is 405 \`method_not_allowed\` with \`Allow\`. Requests are checked in this order: route, key, permission, parameters, media type, size, JSON, schema, existence, If-Match, state. Unknown fields and parameters are errors and never ignored.

**HEAD** is answered wherever GET is: the same status and headers, without the body.

**Bodies** are JSON in UTF-8, uncompressed, at most 6,000,000 bytes.

**Lists** are paginated: follow \`next_cursor\` or the \`Link\` header while \`has_more\` is true. No item is skipped or repeated when others are added or removed in between.

**Retries.** Creating documents and chunks accepts an \`Idempotency-Key\`, which makes the request safe to retry for 24 hours; while the first request is still running, a retry may be 409 \`idempotency_in_progress\`. PATCH, DELETE, restoring a revision and reporting questions are safe to retry; for a document they accept \`If-Match\`. The \`detail\` of a 503 says whether anything may have changed, and what to do.

**Limits.** An organization may send 50 requests a second with bursts of 200, and have 50 million tokens embedded a day, unless agreed otherwise. Beyond these limits, requests get 429 \`rate_limited\` with \`Retry-After\`, documents wait for the next day, as \`waiting\` shows, and a hybrid search matches words only. \`GET /v1/organization/usage\` shows limits and use.

**The gateway** in front of the service returns some 413, 429, 431, 500 and 503 responses itself, as \`application/json\` with only a \`message\`: rely on the status.

**Changes** within /v1 are additive: ignore fields that you do not know.`

export const tags = [
  { name: 'Documents', description: 'Texts that an agent can search.' },
  { name: 'Chunks', description: 'The parts of a document that search finds, made by the service or uploaded by you.' },
  { name: 'Search', description: 'The operations that the agent’s tool calls.' },
  { name: 'Questions', description: 'The questions that callers asked, if the organization saves them.' },
  { name: 'Golden questions', description: 'Questions whose answers a change cannot take away unnoticed.' },
  { name: 'Platforms', description: 'The operations that voice platforms call, by MCP or in their own formats.' },
  { name: 'Agents', description: 'The owners of knowledge bases, and the progress of their documents.' },
  { name: 'Sources', description: 'Websites whose pages become documents, which change with the pages.' },
  { name: 'Organization', description: 'Settings of the API key’s organization.' },
  { name: 'Webhooks', description: 'Your addresses that events are sent to.' },
  { name: 'Reference', description: 'This document. No API key needed.' },
]

export function openApiDocument(routes: Route[] = documentedRoutes()) {
  const schemas = schemaConverter()
  const responses: Record<string, unknown> = { RateLimited: errors.rateLimited(), Throttled: errors.throttled }
  const reference = (codes: ErrorCode[]) => {
    const name = errors.problemName(codes)
    responses[name] ??= errors.problemResponse(codes)
    return { $ref: `#/components/responses/${name}` }
  }

  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, operation: op } of routes) {
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = describeOperation(op, path)
  }
  reference(['route_not_found'])
  reference(['method_not_allowed'])

  function describeOperation(op: RouteMetadata, path: string) {
    const needs = op.permission === 'none' ? '' : `Requires the permission \`${op.permission}\`.`
    return {
      operationId: op.operationId,
      tags: [op.tag],
      summary: op.summary,
      ...((op.description || needs) && { description: [op.description, needs].filter(Boolean).join(' ') }),
      security: op.permission === 'none' ? [] : [{ ApiKey: [op.permission] }, { Bearer: [op.permission] }],
      ...parametersOf(op, path),
      ...(op.body && {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemas.convert(op.body, 'request'),
              examples: mapValues(op.examples ?? {}, (value) => ({ value })),
            },
          },
        },
      }),
      responses: {
        ...mapValues(op.responses, describeResponse),
        ...describeErrors(op),
      },
    }
  }

  function parametersOf(op: RouteMetadata, path: string) {
    const locations = [
      ['path', op.params],
      ['query', op.query],
      ['header', op.headers],
    ] as const
    const parameters = locations.flatMap(([location, schema]) => {
      if (!schema) return []
      const { properties = {}, required = [] } = schemas.convert(schema, 'request') as {
        properties?: Record<string, JsonSchema>
        required?: string[]
      }
      return Object.entries(properties).map(([name, { description, ...of }]) => ({
        name: location === 'header' ? headerCase(name) : name,
        in: location,
        required: required.includes(name),
        description,
        schema: of,
      }))
    })
    for (const [, name] of path.matchAll(/\{(\w+)\}/g))
      if (!parameters.some((parameter) => parameter.name === name)) throw new Error(`${path} does not describe ${name}`)
    return parameters.length > 0 ? { parameters } : {}
  }

  function describeResponse({ description, schema, example, headers, mediaTypes, compressedAs }: ResponseMetadata) {
    const json = schema && {
      [compressedAs ?? 'application/json']: {
        schema: schemas.convert(schema, 'response'),
        ...(example !== undefined && { example }),
      },
    }
    const other = mediaTypes && Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string' } }]))
    const content = json ?? other
    return { description, headers: headersOf(headers), ...(content && { content }) }
  }

  function withDeclared(problem: ReturnType<typeof errors.problemResponse>, declared: ResponseMetadata) {
    const { description, content } = describeResponse(declared)
    return {
      ...problem,
      description: `${problem.description}. ${description}`,
      content: { ...problem.content, ...content },
    }
  }

  function describeErrors(op: RouteMetadata) {
    const codes = errors.errorsOf(op).filter((code) => code !== 'rate_limited')
    const byStatus = Object.groupBy(codes, (code) => problems[code].status)
    const ours = mapValues(byStatus as Record<string, ErrorCode[]>, (codes, status) => {
      const declared = op.responses[Number(status)]
      return declared ? withDeclared(errors.problemResponse(codes), declared) : reference(codes)
    })
    const limited = op.permission === 'none' ? 'Throttled' : 'RateLimited'
    return { ...ours, 429: { $ref: `#/components/responses/${limited}` } }
  }

  return {
    openapi: '3.1.1',
    info: { title: 'Cuecard', version: '1.0.0', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'The host that serves this document.' }],
    tags,
    paths,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Starts with `cue_`.' },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The same key, as a bearer token.' },
      },
      schemas: { ...sorted(schemas.components), ...errors.problemSchemas },
      responses: sorted(responses),
      headers: mapValues(responseHeaders, (header, name) => ({ ...header, required: !optionalHeaders.has(name) })),
    },
  }
}

function headerCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letters) => letters.toUpperCase())
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
