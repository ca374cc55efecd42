import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { allows, isPreflight, withCors } from './cors.ts'
import { type GatewayRequest, toBody, toEvent } from './event.ts'
import type { FromFront, FrontSettings, ToFront } from './messages.ts'
import { busy, type GatewayResponse, messageResponse, tooLarge } from './own-responses.ts'
import { slotsFor } from './slots.ts'

// The thread that answers HTTP. The functions run in the main thread, and the embedded database with them: while they work, Node
// accepts hardly a connection there, so that nothing could be refused before it has waited.

const { port, host, routes, corsOrigins, maxInFlight, receiveSeconds } = workerData as FrontSettings
const main = parentPort!
const tell = (message: FromFront) => main.postMessage(message)

const maxBodyBytes = 10 * 1024 * 1024
const maxHeaderBytes = 10_240
const milliseconds = receiveSeconds * 1000

const paths = routes.map(({ route }) => route)
const slots = slotsFor(maxInFlight)
const waiting = new Map<number, (response: GatewayResponse) => void>()
let lastId = 0
let isForeignPageTold = false

const server = createServer(
  {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: milliseconds,
    requestTimeout: milliseconds,
    connectionsCheckingInterval: milliseconds / 4,
  },
  async (request, response) => {
    noticeForeignPage(request)
    const { status, headers, body } = await respond(request).catch((error) => {
      // Whoever disconnects in mid-request hears nothing, and has done nothing worth telling.
      if (request.complete) tell({ kind: 'fault', error })
      return messageResponse(500, 'Internal Server Error')
    })
    // What was not read of the body is before the connection's next request.
    request.resume()
    // A connection kept alive would delay the end.
    response.shouldKeepAlive &&= server.listening
    send(response, {
      status,
      headers: corsOrigins.length > 0 ? withCors(headers, request, corsOrigins) : headers,
      body,
    })
  },
)

server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
  tell({ kind: 'unavailable', code, message })
  main.close()
})
server.listen(port, host, () => tell({ kind: 'listening', port: (server.address() as AddressInfo).port }))

main.on('message', (message: ToFront) => {
  if (message.kind === 'close') return void server.close(() => main.close())
  waiting.get(message.id)?.(message.response)
  waiting.delete(message.id)
})

function send(response: ServerResponse, { status, headers, body }: GatewayResponse) {
  response.writeHead(status, body.length > 0 ? { ...headers, 'content-length': body.length } : headers).end(body)
}

async function respond(request: IncomingMessage): Promise<GatewayResponse> {
  if (corsOrigins.length > 0 && isPreflight(request)) return { status: 204, headers: {}, body: Buffer.alloc(0) }
  // Whoever is in front of us may go by the other one.
  if ((request.headersDistinct.host?.length ?? 0) > 1) return messageResponse(400, 'Bad Request')
  const event = toEvent(headOf(request), paths)
  const route = paths.findIndex((path) => event?.routeKey === path || event?.routeKey === `ANY ${path}`)
  const target = routes[route]
  if (!event || !target) return messageResponse(404, 'Not Found')
  const named = { path: event.rawPath, requestId: event.requestContext.requestId }
  const { functionName } = target
  const caller = callerOf(event)
  if (!slots.isFree({ functionName, caller })) return await busy(named)
  const body = await readBody(request)
  if (!body) return await tooLarge(named)
  // Not before: whoever sends slowly takes nothing from others.
  const release = slots.take({ functionName, caller })
  if (!release) return await busy(named)
  try {
    return await run(caller, { ...event, ...toBody(body, event.headers['content-type'] ?? '') }, route)
  } finally {
    release()
  }
}

function run(caller: string, event: APIGatewayProxyEventV2, route: number): Promise<GatewayResponse> {
  const id = ++lastId
  const { promise, resolve } = Promise.withResolvers<GatewayResponse>()
  waiting.set(id, resolve)
  tell({ kind: 'event', id, caller, route, event })
  return promise
}

/** By key, for the organization is not known here; by session in the dashboard; else by address. */
function callerOf({ headers, cookies, requestContext }: APIGatewayProxyEventV2): string {
  return headers['x-api-key'] ?? headers.authorization ?? cookies?.join() ?? requestContext.http.sourceIp
}

function headOf({ method = 'GET', url = '/', headersDistinct, socket }: IncomingMessage): GatewayRequest {
  const forwarded = {
    'x-forwarded-for': [...(headersDistinct['x-forwarded-for'] ?? []), socket.remoteAddress].join(', '),
    'x-forwarded-port': `${socket.localPort}`,
    'x-forwarded-proto': protocolOf(headersDistinct['x-forwarded-proto']?.[0]),
  }
  return { method, url, headers: { ...headersDistinct, ...forwarded }, sourceIp: socket.remoteAddress ?? '' }
}

/** What the client used, if a tunnel in front of us says so. */
function protocolOf(forwarded = ''): string {
  return /^https?(?=,|$)/.exec(forwarded)?.[0] ?? 'http'
}

/** Undefined when the body exceeds the limit of API Gateway. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) break
    chunks.push(chunk)
  }
  return size > maxBodyBytes ? undefined : Buffer.concat(chunks)
}

function noticeForeignPage(request: IncomingMessage) {
  const origin = URL.parse(request.headers.origin ?? '')?.origin
  if (isForeignPageTold || !isPreflight(request) || !origin || origin === 'null' || allows(corsOrigins, origin)) return
  isForeignPageTold = true
  tell({ kind: 'foreign page', origin })
}
