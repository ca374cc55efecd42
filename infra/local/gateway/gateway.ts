import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { ApiError, problem } from '../../../shared/http/errors.ts'
import { bodyLimit } from '../../../shared/http/input/json-body.ts'
import { messageOf } from '../error-message.ts'
import { FunctionTimeout, invoke, type LambdaHandler, PayloadTooLarge } from '../lambda.ts'
import { allows, isPreflight, withCors } from './cors.ts'
import { toEvent } from './event.ts'

export interface GatewayRoute {
  route: string
  handler: LambdaHandler<APIGatewayProxyEventV2, unknown>
  functionName?: string
  timeoutSeconds?: number
}

export interface GatewayOptions {
  port: number
  host?: string
  routes: readonly GatewayRoute[]
  /** Whose pages may call; without any the gateway does nothing about CORS. */
  corsOrigins?: readonly string[]
  /** Called for what is answered with a 5xx status. */
  onError?: (error: unknown) => void
  /** Called with the origin of the first page that asks in vain whether it may call. */
  onForeignPage?: (origin: string) => void
}

const maxBodyBytes = 10 * 1024 * 1024
const maxHeaderBytes = 10_240

/** Payload format 2.0. `close` waits for requests in flight. @throws Error, on one line, when the port is not available */
export async function startGateway(options: GatewayOptions): Promise<{ origin: string; close(): Promise<void> }> {
  const { port, host = '127.0.0.1', corsOrigins = [], onError = console.error } = options
  const noticeForeignPage = firstForeignPage(options)
  const server = createServer({ maxHeaderSize: maxHeaderBytes }, async (request, response) => {
    noticeForeignPage(request)
    const result = await respond(request, options).catch(async (error) => {
      const answer = await toErrorResponse(error, request)
      if (request.complete && answer.status >= 500) onError(error)
      return answer
    })
    const headers = corsOrigins.length > 0 ? withCors(result.headers, request, corsOrigins) : result.headers
    // A connection kept alive would delay close().
    response.shouldKeepAlive &&= server.listening
    send(response, { ...result, headers })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)).catch(
    (error) => {
      if (error.code === 'EADDRINUSE') throw new Error(`port ${port} is in use: set PORT to another`)
      throw new Error(`cannot start the gateway: ${messageOf(error)}`)
    },
  )
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function firstForeignPage({ corsOrigins = [], onForeignPage }: GatewayOptions) {
  let isTold = false
  return (request: IncomingMessage) => {
    const origin = URL.parse(request.headers.origin ?? '')?.origin
    if (isTold || !isPreflight(request) || !origin || origin === 'null' || allows(corsOrigins, origin)) return
    isTold = true
    onForeignPage?.(origin)
  }
}

interface GatewayResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
}

function send(response: ServerResponse, { status, headers, body }: GatewayResponse) {
  response.writeHead(status, body.length > 0 ? { ...headers, 'content-length': body.length } : headers).end(body)
}

async function respond(
  request: IncomingMessage,
  { routes, corsOrigins = [] }: GatewayOptions,
): Promise<GatewayResponse> {
  const body = await readBody(request)
  if (!body) return await tooLarge(request)
  if (corsOrigins.length > 0 && isPreflight(request)) return { status: 204, headers: {}, body: Buffer.alloc(0) }
  const { method = 'GET', url = '/', headersDistinct, socket } = request
  const forwarded = {
    'x-forwarded-for': [...(headersDistinct['x-forwarded-for'] ?? []), socket.remoteAddress].join(', '),
    'x-forwarded-port': `${socket.localPort}`,
    'x-forwarded-proto': protocolOf(headersDistinct['x-forwarded-proto']?.[0]),
  }
  const event = toEvent(
    { method, url, headers: { ...headersDistinct, ...forwarded }, body, sourceIp: socket.remoteAddress },
    routes.map(({ route }) => route),
  )
  const selected = routes.find(({ route }) => event?.routeKey === route || event?.routeKey === `ANY ${route}`)
  if (!event || !selected) return messageResponse(404, 'Not Found')
  const { handler, functionName = 'local', timeoutSeconds = 29 } = selected
  return toResponse(await invoke(handler, event, { functionName, timeoutSeconds }), event.requestContext.requestId)
}

/** What the client used, if a tunnel in front of us says so. */
function protocolOf(forwarded = ''): string {
  return /^https?(?=,|$)/.exec(forwarded)?.[0] ?? 'http'
}

/** Undefined when the body exceeds the limit of API Gateway; the rest of it is discarded. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) {
      request.resume()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface ProxyResult {
  statusCode: number
  headers?: Record<string, string | number | boolean>
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}

function toResponse(result: unknown, requestId: string): GatewayResponse {
  if (!isProxyResult(result)) {
    const headers = { 'content-type': 'application/json', 'apigw-requestid': requestId }
    return { status: 200, headers, body: Buffer.from(JSON.stringify(result ?? null)) }
  }
  const { statusCode, cookies, isBase64Encoded } = result
  if (!Number.isInteger(Number(statusCode)) || statusCode < 200 || statusCode > 599)
    throw new Error(`the function returned the invalid status code ${statusCode}`)
  const body = Buffer.from(result.body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  const headers: GatewayResponse['headers'] = { 'apigw-requestid': requestId }
  if (body.length > 0) headers['content-type'] = 'text/plain;charset=UTF-8'
  for (const [name, value] of Object.entries(result.headers ?? {})) {
    validateHeaderName(name)
    validateHeaderValue(name, `${value}`)
    headers[name.toLowerCase()] = `${value}`
  }
  if (cookies?.length) headers['set-cookie'] = cookies
  return { status: Number(statusCode), headers, body }
}

const isProxyResult = (result: unknown): result is ProxyResult =>
  typeof result === 'object' && result !== null && 'statusCode' in result

async function toErrorResponse(error: unknown, request: IncomingMessage): Promise<GatewayResponse> {
  if (error instanceof PayloadTooLarge && error.of === 'event') return await tooLarge(request)
  if (error instanceof FunctionTimeout) return messageResponse(503, 'Service Unavailable')
  return messageResponse(500, 'Internal Server Error')
}

/** API Gateway says its `message` and no more. Here it is part of a problem like those of the functions, which says the limit. */
async function tooLarge({ url = '/' }: IncomingMessage): Promise<GatewayResponse> {
  const error = new ApiError(
    'payload_too_large',
    `The body does not fit through AWS Lambda, where each quote, backslash and line break counts twice. The limit is ${bodyLimit} bytes.`,
    { extra: { message: 'Request Entity Too Large' } },
  )
  const response = problem(error, { instance: url.split('?')[0]!, requestId: crypto.randomUUID() })
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}

function messageResponse(status: number, message: string): GatewayResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ message })) }
}
