import { ApiError, problem, Unavailable } from '../../../shared/http/errors.ts'
import { bodyLimit } from '../../../shared/http/input/json-body.ts'

export interface GatewayResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Uint8Array
}

interface Request {
  /** Of its URL. */
  path: string
  requestId: string
}

/** API Gateway says its `message` and no more. Here it is part of a problem like those of the functions, which says the limit. */
export function tooLarge(request: Request): Promise<GatewayResponse> {
  const error = new ApiError(
    'payload_too_large',
    `The body does not fit through AWS Lambda, where each quote, backslash and line break counts twice. The limit is ${bodyLimit} bytes.`,
    { extra: { message: 'Request Entity Too Large' } },
  )
  return problemResponse(error, request)
}

const retryAfterSeconds = 1

/** For what comes while as much is in work as ends in good time: if it waited, all would wait ever longer. */
export function busy(request: Request): Promise<GatewayResponse> {
  const detail =
    'More requests are in work than can be answered in good time. Nothing was changed. Try again in a moment.'
  return problemResponse(new Unavailable('gateway', undefined, retryAfterSeconds, detail), request)
}

async function problemResponse(error: unknown, { path, requestId }: Request): Promise<GatewayResponse> {
  const response = problem(error, { instance: path, requestId })
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}

export function messageResponse(status: number, message: string): GatewayResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ message })) }
}
