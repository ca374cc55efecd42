import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { messageOf } from '../error-message.ts'
import { FunctionTimeout, invoke, type LambdaHandler, PayloadTooLarge } from '../lambda.ts'
import { toEvent } from './event.ts'

export interface GatewayRoute {
  /** Path of any method, with `{variables}`, or `$default`. */
  route: string
  handler: LambdaHandler<APIGatewayProxyEventV2, unknown>
  functionName?: string
  timeoutSeconds?: number
}

export interface GatewayOptions {
  /** 0 = any free one. */
  port: number
  host?: string
  routes: readonly GatewayRoute[]
  /** Hears of handlers that failed; default: the console. */
  onError?: (error: unknown) => void
}

const bodyLimitBytes = 10 * 1024 * 1024
const headerLimitBytes = 10_240

/**
 * An API Gateway HTTP API in small: turns requests into events of payload format 2.0, calls the Lambda handler of the
 * best route, and its result into the response. `close` waits for what is in flight.
 * Rejects with a one-line Error when the port cannot be had.
 */
export async function startGateway(options: GatewayOptions): Promise<{ origin: string; close(): Promise<void> }> {
  const { port, host = '127.0.0.1', routes, onError = console.error } = options
  const server = createServer({ maxHeaderSize: headerLimitBytes }, async (request, response) => {
    const answer = await answerTo(request, routes).catch((error) => {
      if (request.complete) onError(error)
      return errorAnswer(error)
    })
    // A connection kept alive would hold up close().
    response.shouldKeepAlive &&= server.listening
    send(response, answer)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)).catch(
    (error) => {
      if (error.code === 'EADDRINUSE') throw new Error(`port ${port} of ${host} is taken`)
      throw new Error(`the gateway cannot listen: ${messageOf(error)}`)
    },
  )
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
}

function send(response: ServerResponse, { status, headers, body }: Answer) {
  response.writeHead(status, body.length > 0 ? { ...headers, 'content-length': body.length } : headers).end(body)
}

async function answerTo(request: IncomingMessage, routes: readonly GatewayRoute[]): Promise<Answer> {
  const body = await readBody(request)
  if (!body) return messageAnswer(413, 'Request Entity Too Large')
  const { method = 'GET', url = '/', headersDistinct, socket } = request
  const forwarded = {
    'x-forwarded-for': [...(headersDistinct['x-forwarded-for'] ?? []), socket.remoteAddress].join(', '),
    'x-forwarded-port': `${socket.localPort}`,
    'x-forwarded-proto': 'http',
  }
  const event = toEvent(
    { method, url, headers: { ...headersDistinct, ...forwarded }, body, sourceIp: socket.remoteAddress },
    routes.map(({ route }) => route),
  )
  const selected = routes.find(({ route }) => event?.routeKey === route || event?.routeKey === `ANY ${route}`)
  if (!event || !selected) return messageAnswer(404, 'Not Found')
  const { handler, functionName = 'local', timeoutSeconds = 29 } = selected
  return toAnswer(await invoke(handler, event, { functionName, timeoutSeconds }), event.requestContext.requestId)
}

/** undefined where the body is larger than API Gateway takes; the rest of it is read and dropped. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyLimitBytes) {
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

function toAnswer(result: unknown, requestId: string): Answer {
  if (!isProxyResult(result)) {
    const headers = { 'content-type': 'application/json', 'apigw-requestid': requestId }
    return { status: 200, headers, body: Buffer.from(JSON.stringify(result ?? null)) }
  }
  const { statusCode, cookies, isBase64Encoded } = result
  if (!Number.isInteger(Number(statusCode)) || statusCode < 200 || statusCode > 599)
    throw new Error(`the function answered with the status ${statusCode}`)
  const body = Buffer.from(result.body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  const headers: Answer['headers'] = { 'apigw-requestid': requestId }
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

function errorAnswer(error: unknown): Answer {
  if (error instanceof PayloadTooLarge && error.of === 'event') return messageAnswer(413, 'Request Entity Too Large')
  if (error instanceof FunctionTimeout) return messageAnswer(503, 'Service Unavailable')
  return messageAnswer(500, 'Internal Server Error')
}

function messageAnswer(status: number, message: string): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ message })) }
}
