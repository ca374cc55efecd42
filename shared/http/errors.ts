/** The closed vocabulary of errors: code → HTTP status and title. Every error answer of the API carries one of these codes. */
export const problems = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_parameter: { status: 400, title: 'A path, query or header parameter is invalid' },
  invalid_cursor: { status: 400, title: 'The cursor was not issued by this list' },
  missing_api_key: { status: 401, title: 'No API key was sent' },
  invalid_api_key: { status: 401, title: 'The API key is not valid' },
  missing_permission: { status: 403, title: 'The API key lacks a permission' },
  agent_not_found: { status: 404, title: 'No such agent' },
  document_not_found: { status: 404, title: 'No such document' },
  route_not_found: { status: 404, title: 'No such route' },
  method_not_allowed: { status: 405, title: 'The route does not know this method' },
  chunk_index_conflict: { status: 409, title: 'A chunk index is already stored' },
  no_chunks: { status: 409, title: 'The document has no chunks' },
  chunks_missing_embeddings: { status: 409, title: 'No stored chunk has an embedding' },
  processing_in_progress: { status: 409, title: 'The document is being processed' },
  idempotency_in_progress: { status: 409, title: 'The first request with this idempotency key is still running' },
  invalid_transition: { status: 409, title: 'The document cannot take this status now' },
  precondition_failed: { status: 412, title: 'If-Match does not match' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is not application/json' },
  validation_failed: { status: 422, title: 'The body breaks the schema' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  temporarily_unavailable: { status: 503, title: 'A service we depend on cannot be reached' },
} as const

export type ErrorCode = keyof typeof problems

/** What can be wrong with one value of the input. */
export const faultCodes = [
  'required',
  'unknown_field',
  'wrong_type',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'invalid',
  'invalid_cursor',
  'refused',
] as const
export type FaultCode = (typeof faultCodes)[number]

/** One fault of the input: where it is (one of the three places) and what is wrong with it. */
export type Fault = { code: FaultCode; detail: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
)

/** An answer other than success, thrown anywhere below a route and rendered by `problem` as RFC 9457 problem details. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly errors: Fault[] | undefined
  readonly headers: Record<string, string>
  readonly extra: Record<string, unknown>

  constructor(
    code: ErrorCode,
    detail: string,
    more: { errors?: Fault[]; headers?: Record<string, string>; extra?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause })
    this.code = code
    this.errors = more.errors
    this.headers = more.headers ?? {}
    this.extra = more.extra ?? {}
  }
}

/** A service behind the wire (database, queue, embedding provider) that cannot be reached or does not answer in time. */
export class Unavailable extends Error {
  readonly service: string
  /** Whole seconds after which to try again. */
  readonly retryAfterSeconds: number

  constructor(service: string, cause: unknown, retryAfterSeconds = 5) {
    super(`${service} is unavailable`, { cause })
    this.service = service
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Nobody keeps an answer: it is one organization's alone, and the next may differ. */
export const notKept = 'private, no-store'

/**
 * Renders any thrown value; what is not an ApiError or Unavailable becomes an opaque 500.
 * @param request with `outcome`: what the caller should know and do when something was unavailable
 */
export function problem(
  thrown: unknown,
  request: { instance: string; requestId: string; outcome?: string | undefined },
): Response {
  const error = asApiError(thrown, request.outcome)
  const { status, title } = problems[error.code]
  const body = {
    type: `https://cuecard.dev/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    instance: request.instance,
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
      'cache-control': notKept,
      ...error.headers,
    },
  })
}

function asApiError(thrown: unknown, outcome = 'Nothing was changed. Try again in a moment.'): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof Unavailable)
    return new ApiError('temporarily_unavailable', outcome, {
      headers: { 'retry-after': String(thrown.retryAfterSeconds) },
      cause: thrown,
    })
  return new ApiError('internal_error', 'The fault was logged under this request_id.', { cause: thrown })
}
