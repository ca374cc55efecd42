import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { ApiError, problem } from '../../../shared/http/errors.ts'
import { bodyLimit } from '../../../shared/http/input/json-body.ts'
import { messageOf } from '../../error-message.ts'
import { readBody } from '../../request-body.ts'
import { FunctionTimeout, invoke, type LambdaHandler, logFailure, PayloadTooLarge } from '../lambda.ts'
import { isPreflight, withCors } from './cors.ts'
import { type GatewayRequest, toBody, toEvent } from './event.ts'

export interface GatewayRoute {
  route: string
  handler: LambdaHandler<APIGatewayProxyEventV2, unknown>
  functionName?: string
  timeoutSeconds?: number
}

export interface GatewayOptions {
  port: number
  routes: readonly GatewayRoute[]
  corsOrigins?: readonly string[]
  /** Called for every response with a 5xx status that a function caused. */
  onError?: (error: unknown) => void
}

interface GatewayResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Uint8Array
}

const host = '127.0.0.1'
const maxBodyBytes = 10 * 1024 * 1024
const maxHeaderSize = 10_240

/** Serves HTTP with payload format 2.0. `close` waits for current requests. @throws Error on one line if the port is not available */
export async function startGateway(options: GatewayOptions): Promise<{ origin: string; close(): Promise<void> }> {
  const { port, routes, corsOrigins = [], onError = logFailure } = options
  const paths = routes.map(({ route }) => route)
  const allowsCors = corsOrigins.length > 0

  const server = http.createServer({ maxHeaderSize }, async (request, response) => {
    const { status, headers, body } = await respond(request).catch((error) => {
      // A client that disconnects during its request isn't our error.
      if (request.complete) onError(error)
      return messageResponse(500, 'Internal Server Error')
    })
    // The next request on this connection follows the rest of the body.
    request.resume()
    // A connection that stays alive would delay the end.
    response.shouldKeepAlive &&= server.listening
    send(response, { status, headers: allowsCors ? withCors(headers, request, corsOrigins) : headers, body })
  })

  function eventOf(request: http.IncomingMessage) {
    try {
      return toEvent(headOf(request), paths)
    } catch (error) {
      if (error instanceof URIError) return 'malformed'
      throw error
    }
  }

  async function respond(request: http.IncomingMessage): Promise<GatewayResponse> {
    if (allowsCors && isPreflight(request)) return { status: 204, headers: {}, body: Buffer.alloc(0) }
    const event = eventOf(request)
    if (event === 'malformed') return messageResponse(400, 'Bad Request')
    const route = routes.find(({ route }) => event?.routeKey === route || event?.routeKey === `ANY ${route}`)
    if (!event || !route) return messageResponse(404, 'Not Found')
    const body = await readBody(request, maxBodyBytes)
    if (!body) return await problemResponse(tooLarge, event)
    try {
      const { handler, functionName = 'local', timeoutSeconds = 29 } = route
      const whole = { ...event, ...toBody(body, event.headers['content-type'] ?? '') }
      const result = await invoke(handler, whole, { functionName, timeoutSeconds })
      return toResponse(result, event.requestContext.requestId)
    } catch (error) {
      if (error instanceof PayloadTooLarge && error.of === 'event') return await problemResponse(tooLarge, event)
      onError(error)
      return error instanceof FunctionTimeout
        ? messageResponse(503, 'Service Unavailable')
        : messageResponse(500, 'Internal Server Error')
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`cannot start the gateway: ${messageOf(error)}`)))
    server.listen(port, host, resolve)
  })
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const tooLarge = new ApiError('payload_too_large', `The request body is too large. The limit is ${bodyLimit} bytes.`)

async function problemResponse(error: Error, event: APIGatewayProxyEventV2): Promise<GatewayResponse> {
  const { rawPath, requestContext } = event
  const response = problem(error, { instance: rawPath, requestId: requestContext.requestId })
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}

function messageResponse(status: number, message: string): GatewayResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ message })) }
}

function send(response: http.ServerResponse, { status, headers, body }: GatewayResponse) {
  response.writeHead(status, body.length > 0 ? { ...headers, 'content-length': body.length } : headers).end(body)
}

function headOf({ method = 'GET', url = '/', headersDistinct, socket }: http.IncomingMessage): GatewayRequest {
  const forwarded = {
    'x-forwarded-for': [...(headersDistinct['x-forwarded-for'] ?? []), socket.remoteAddress].join(', '),
    'x-forwarded-port': `${socket.localPort}`,
    // A tunnel in front of this server sends the client's protocol.
    'x-forwarded-proto': /^https?(?=,|$)/.exec(headersDistinct['x-forwarded-proto']?.[0] ?? '')?.[0] ?? 'http',
  }
  return { method, url, headers: { ...headersDistinct, ...forwarded }, sourceIp: socket.remoteAddress ?? '' }
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
    http.validateHeaderName(name)
    http.validateHeaderValue(name, `${value}`)
    headers[name.toLowerCase()] = `${value}`
  }
  if (cookies?.length) headers['set-cookie'] = cookies
  return { status: Number(statusCode), headers, body }
}

const isProxyResult = (result: unknown): result is ProxyResult =>
  typeof result === 'object' && result !== null && 'statusCode' in result
