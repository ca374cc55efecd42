import { Unavailable } from '../unavailable.ts'

export const problems = {
  invalid_json: { status: 400, title: 'The request body is not valid JSON' },
  invalid_parameter: { status: 400, title: 'A path, query or header parameter is invalid' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid for this list' },
  missing_api_key: { status: 401, title: 'The request has no API key' },
  invalid_api_key: { status: 401, title: 'The API key is invalid' },
  missing_access_token: { status: 401, title: 'The request has no access token' },
  invalid_access_token: { status: 401, title: 'The access token is invalid' },
  invalid_signature: { status: 401, title: 'The signature of the request is missing or invalid' },
  missing_permission: { status: 403, title: 'The API key lacks a permission' },
  insufficient_scope: { status: 403, title: 'The access token lacks a scope' },
  agent_not_found: { status: 404, title: 'Agent not found' },
  document_not_found: { status: 404, title: 'Document not found' },
  revision_not_found: { status: 404, title: 'Revision not found' },
  golden_question_not_found: { status: 404, title: 'Golden question not found' },
  source_not_found: { status: 404, title: 'Source not found' },
  webhook_not_found: { status: 404, title: 'Webhook not found' },
  delivery_not_found: { status: 404, title: 'Delivery not found' },
  route_not_found: { status: 404, title: 'Route not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  external_id_conflict: { status: 409, title: 'A document with this external id already exists' },
  source_exists: { status: 409, title: 'A source with this address already exists' },
  chunk_index_conflict: { status: 409, title: 'A chunk with this index already exists' },
  no_chunks: { status: 409, title: 'The document has no chunks' },
  chunks_missing_embeddings: { status: 409, title: 'No chunk of the document has an embedding' },
  processing_in_progress: { status: 409, title: 'The document is being processed' },
  idempotency_in_progress: { status: 409, title: 'The first request with this idempotency key is still running' },
  golden_questions_fail: { status: 409, title: 'Golden questions would fail' },
  confirmation_mismatch: { status: 409, title: 'The confirmation is another name' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled' },
  invalid_transition: { status: 409, title: 'The document cannot change to this status' },
  snapshot_expired: { status: 410, title: 'What has changed since this version can’t be told' },
  precondition_failed: { status: 412, title: 'The document does not match If-Match' },
  payload_too_large: { status: 413, title: 'The request or its response is too large' },
  unsupported_media_type: { status: 415, title: 'The request body is not application/json' },
  validation_failed: { status: 422, title: 'The request body is invalid' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for a different request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  temporarily_unavailable: { status: 503, title: 'A required service is temporarily unavailable' },
} as const

export type ErrorCode = keyof typeof problems

/** True if asking again won't help: the key is revoked or has too few permissions, or what it names is gone. */
export function isRefusal({ code }: Pick<ApiError, 'code'>): boolean {
  return [401, 403, 404].includes(problems[code].status)
}

export const inputErrorCodes = [
  'required',
  'unknown_field',
  'unknown_parameter',
  'wrong_type',
  'not_allowed_value',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'invalid',
  'invalid_cursor',
  'refused',
] as const
export type InputErrorCode = (typeof inputErrorCodes)[number]

export type InputError = { code: InputErrorCode; detail: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
)

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly errors: InputError[] | undefined
  readonly headers: Record<string, string>
  readonly extra: Record<string, unknown>

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      errors?: InputError[]
      headers?: Record<string, string>
      extra?: Record<string, unknown>
      cause?: unknown
    } = {},
  ) {
    super(detail, { cause: more.cause })
    this.code = code
    this.errors = more.errors
    this.headers = more.headers ?? {}
    this.extra = more.extra ?? {}
  }
}

export const noSuchAgent = 'Your organization has no agent with this id.'

export const noStore = 'private, no-store'

/** Shortens a text of the request for the response, which must not grow with it. */
export function echoed(text: string, maxCharacters = 200): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`
}

const maxInstance = 2000

/** An error that is neither an ApiError nor Unavailable becomes an opaque 500. */
export function problem(
  thrown: unknown,
  request: { instance: string; requestId: string; unavailableDetail?: string | undefined },
): Response {
  const error = asApiError(thrown, request.unavailableDetail)
  const { status, title } = problems[error.code]
  const body = {
    type: `https://cuecard.dev/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    instance: echoed(request.instance, maxInstance),
    code: error.code,
    request_id: request.requestId,
    ...(error.errors && { errors: error.errors }),
    ...error.extra,
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'x-request-id': request.requestId,
      'cache-control': noStore,
      ...error.headers,
    },
  })
}

function asApiError(thrown: unknown, unavailableDetail = 'Nothing was changed. Try again in a moment.'): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof Unavailable)
    return new ApiError('temporarily_unavailable', thrown.detail ?? unavailableDetail, {
      headers: { 'retry-after': String(thrown.retryAfterSeconds) },
      cause: thrown,
    })
  return new ApiError(
    'internal_error',
    'The error was logged under this request_id. Include it when you contact support.',
    { cause: thrown },
  )
}
