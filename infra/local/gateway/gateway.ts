import { validateHeaderName, validateHeaderValue } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { FunctionTimeout, invoke, type LambdaHandler, logFailure, PayloadTooLarge } from '../lambda.ts'
import type { FromFront, FrontSettings, ToFront } from './messages.ts'
import { type GatewayResponse, messageResponse, tooLarge } from './own-responses.ts'
import { takingTurns } from './turns.ts'

export interface GatewayRoute {
  route: string
  handler: LambdaHandler<APIGatewayProxyEventV2, unknown>
  functionName?: string
  timeoutSeconds?: number
}

export interface GatewayOptions extends Pick<FrontSettings, 'port'>, Partial<Omit<FrontSettings, 'routes' | 'port'>> {
  routes: readonly GatewayRoute[]
  /** Called for what is answered with a 5xx status. */
  onError?: (error: unknown) => void
  /** Called with the origin of the first page that asks in vain whether it may call. */
  onForeignPage?: (origin: string) => void
}

/** Payload format 2.0. `close` waits for requests in flight. @throws Error, on one line, when the port is not available */
export async function startGateway(options: GatewayOptions): Promise<{ origin: string; close(): Promise<void> }> {
  const { routes, onError = logFailure, onForeignPage, ...settings } = options
  const front: FrontSettings = {
    host: '127.0.0.1',
    corsOrigins: [],
    maxInFlight: 64,
    receiveSeconds: 60,
    ...settings,
    routes: routes.map(({ route, functionName = 'local' }) => ({ route, functionName })),
  }
  const inTurn = takingTurns()
  const thread = new Worker(new URL('front.ts', import.meta.url), { workerData: front })
  const tell = (message: ToFront) => thread.postMessage(message)
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>()
  thread.once('error', reject)
  thread.on('message', (message: FromFront) => {
    if (message.kind === 'listening') resolve(message.port)
    else if (message.kind === 'unavailable') reject(unavailable(message, front.port))
    else if (message.kind === 'fault') onError(message.error)
    else if (message.kind === 'foreign page') onForeignPage?.(message.origin)
    else inTurn(message.caller, () => answer(message))
  })

  async function answer({ id, event, route }: Extract<FromFront, { kind: 'event' }>) {
    const response = await respond(event, routes[route]!).catch((error) => toErrorResponse(error, event))
    tell({ kind: 'response', id, response })
  }

  async function toErrorResponse(error: unknown, event: APIGatewayProxyEventV2): Promise<GatewayResponse> {
    if (error instanceof PayloadTooLarge && error.of === 'event')
      return await tooLarge({ path: event.rawPath, requestId: event.requestContext.requestId })
    onError(error)
    return error instanceof FunctionTimeout
      ? messageResponse(503, 'Service Unavailable')
      : messageResponse(500, 'Internal Server Error')
  }

  const origin = `http://${front.host}:${await listening}`
  // From now on a fault of the thread ends the process.
  thread.off('error', reject)
  return {
    origin,
    close() {
      tell({ kind: 'close' })
      return ended
    },
  }
}

function unavailable({ code, message }: { code: string | undefined; message: string }, port: number): Error {
  if (code === 'EADDRINUSE') return new Error(`port ${port} is in use: set PORT to another`)
  return new Error(`cannot start the gateway: ${message || code}`)
}

async function respond(
  event: APIGatewayProxyEventV2,
  { handler, functionName = 'local', timeoutSeconds = 29 }: GatewayRoute,
): Promise<GatewayResponse> {
  return toResponse(await invoke(handler, event, { functionName, timeoutSeconds }), event.requestContext.requestId)
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
