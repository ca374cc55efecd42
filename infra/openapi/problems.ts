import { readFileSync } from 'node:fs'
import { type ErrorCode, inputErrorCodes, problems } from '../../shared/http/errors.ts'
import type { RouteMetadata } from '../../shared/http/route-metadata.ts'
import { permissions } from '../../shared/organizations/permissions.ts'
import { headersOf, optional, references, type responseHeaders } from './headers.ts'
import type { JsonSchema } from './json-schema.ts'

const errorsOfFields: Record<string, ErrorCode[]> = {
  agentId: ['agent_not_found'],
  documentId: ['document_not_found'],
  revision: ['revision_not_found'],
  goldenQuestionId: ['golden_question_not_found'],
  sourceId: ['source_not_found'],
  webhookId: ['webhook_not_found'],
  deliveryId: ['delivery_not_found'],
  cursor: ['invalid_cursor'],
  'idempotency-key': ['idempotency_key_reused', 'idempotency_in_progress'],
  'if-match': ['precondition_failed'],
  ignore_golden_questions: ['golden_questions_fail'],
}

/** Errors that not every operation with a key has: those of its parameters, and its own. */
function particularErrors({ params, query, headers, errors = [], answersErrorsWith200 }: RouteMetadata): ErrorCode[] {
  const read = [params, query, headers].flatMap((schema) =>
    Object.keys((schema as { entries?: object })?.entries ?? {}),
  )
  return [...(answersErrorsWith200 ? [] : read.flatMap((name) => errorsOfFields[name] ?? [])), ...errors]
}

export function errorsOf(op: RouteMetadata): ErrorCode[] {
  const codes: ErrorCode[] = [...particularErrors(op), 'internal_error']
  if (op.permission !== 'none') {
    if (op.isByToken) codes.push('missing_access_token', 'invalid_access_token', 'insufficient_scope')
    else codes.push('missing_api_key', 'invalid_api_key', 'missing_permission')
    codes.push('invalid_parameter', 'rate_limited', 'temporarily_unavailable')
  }
  if (op.body) codes.push('invalid_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed')
  const order = Object.keys(problems)
  return [...new Set(codes)].sort((a, b) => order.indexOf(a) - order.indexOf(b))
}

const extraHeaders: Partial<Record<ErrorCode, (keyof typeof responseHeaders)[]>> = {
  missing_api_key: ['WWW-Authenticate'],
  invalid_api_key: ['WWW-Authenticate'],
  missing_access_token: ['WWW-Authenticate'],
  invalid_access_token: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  invalid_signature: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  idempotency_in_progress: ['Retry-After'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  temporarily_unavailable: ['Retry-After'],
}

export function problemName(codes: ErrorCode[]): string {
  const words = codes.map((code) => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return words.join('Or')
}

/** A real answer for each code; test/api/examples.long.test.ts writes and checks them. */
const examples: Record<string, unknown> = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8'))

export function problemResponse(codes: ErrorCode[]) {
  const { status } = problems[codes[0]!]
  const extra = [...new Set(codes.flatMap((code) => extraHeaders[code] ?? []))]
  const isShared = (name: keyof typeof responseHeaders) => codes.every((code) => extraHeaders[code]?.includes(name))
  return {
    description: codes.map((code) => `${problems[code].title} (\`${code}\`)`).join('; '),
    headers: {
      ...headersOf([...extra.filter(isShared), 'Server-Timing']),
      ...optional(extra.filter((name) => !isShared(name))),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            {
              type: 'object',
              required: ['status', 'code'],
              properties: { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } },
            },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: examples[code] }])),
      },
    },
  }
}

export const throttled = {
  description:
    'Too many requests: the rate limit of the gateway is exceeded. Retry after a second, then with exponential backoff.',
  headers: references(['Apigw-Requestid']),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/GatewayMessage' },
      example: { message: 'Too Many Requests' },
    },
  },
}

/** Describes the gateway's 429, and ours with the organization's limits. */
export function rateLimited() {
  const ours = problemResponse(['rate_limited'])
  return {
    description: `${ours.description}. ${throttled.description}`,
    headers: {
      ...optional(['X-Request-Id', 'Cache-Control', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Apigw-Requestid']),
      ...references(['Server-Timing']),
    },
    content: { ...ours.content, ...throttled.content },
  }
}

export const problemSchemas: Record<string, JsonSchema> = {
  Problem: {
    description: 'Problem details (RFC 9457). Rely on `code`; its meaning never changes.',
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri' },
      title: { type: 'string', description: 'A summary, the same for every occurrence of the code.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string', description: 'What went wrong in this request.' },
      instance: { type: 'string', description: 'The path of the request.' },
      code: { type: 'string', enum: Object.keys(problems) },
      request_id: { type: 'string', description: 'Also in X-Request-Id; include it when you contact support.' },
      errors: {
        type: 'array',
        description: 'Every error of the input, at most 1,000.',
        items: { $ref: '#/components/schemas/InputError' },
      },
      required_permission: { type: 'string', enum: permissions, description: 'With `missing_permission`.' },
      chunk_indexes: {
        type: 'array',
        items: { type: 'integer' },
        description: 'With `chunk_index_conflict`: the indexes that already exist.',
      },
      external_ids: {
        type: 'array',
        description: 'With `external_id_conflict`: the ids that other documents of the agent have.',
        items: { type: 'string' },
      },
      golden_questions: {
        type: 'array',
        description: 'With `golden_questions_fail`: blocking questions that would fail. `lost` is the current answer.',
        items: {
          type: 'object',
          required: ['golden_question_id', 'question', 'as_of', 'lost', 'instead', 'value'],
          properties: {
            golden_question_id: { type: 'string', format: 'uuid' },
            question: { type: 'string' },
            as_of: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'The time of failure; null for at once.',
            },
            lost: { type: ['string', 'null'] },
            instead: {
              type: ['object', 'null'],
              required: ['document_title', 'text'],
              properties: { document_title: { type: 'string' }, text: { type: 'string' } },
            },
            value: {
              type: ['object', 'null'],
              description:
                'The texts of the expected value and of the one instead; null unless the value makes it fail.',
              required: ['lost', 'instead'],
              properties: { lost: { type: ['string', 'null'] }, instead: { type: ['string', 'null'] } },
            },
          },
        },
      },
    },
  },
  GatewayMessage: {
    description: 'An error of the gateway itself.',
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
  },
  InputError: {
    description: 'One error of the input and its location: in the body, a parameter or a header.',
    type: 'object',
    required: ['code', 'detail'],
    properties: {
      pointer: { type: 'string', format: 'json-pointer', description: 'A JSON Pointer (RFC 6901) into the body.' },
      parameter: { type: 'string', description: 'A path or query parameter.' },
      header: { type: 'string' },
      code: { type: 'string', enum: inputErrorCodes },
      detail: { type: 'string' },
    },
    minProperties: 3,
    maxProperties: 3,
  },
}
