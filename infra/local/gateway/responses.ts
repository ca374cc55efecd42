import { ApiError, problem } from '../../../shared/http/errors.ts'
import { bodyLimit } from '../../../shared/http/input/json-body.ts'
import { Unavailable } from '../../../shared/unavailable.ts'

/** What the gateway sends to the client. */
export interface GatewayResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Uint8Array
}

interface Request {
  path: string
  requestId: string
}

export function tooLarge(request: Request): Promise<GatewayResponse> {
  return problemResponse(
    new ApiError('payload_too_large', `The request body is too large. The limit is ${bodyLimit} bytes.`),
    request,
  )
}

const retryAfterSeconds = 1

export function busy(request: Request): Promise<GatewayResponse> {
  const detail = 'Too many requests are in progress. Nothing was changed. Try again in a moment.'
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
