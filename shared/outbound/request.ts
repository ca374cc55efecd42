import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type AddressRule, checkAddresses, literalOf, parseAllowed } from './addresses.ts'

export interface OutboundRequest extends AddressRule {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** The maximum size of the decompressed body; with 0 the body is not read. The received bytes may be twice as many. */
  maxBytes: number
  /** The limit of the whole request, from the look-up to the last byte. */
  milliseconds: number
  /** All addresses of a name. */
  resolve?: Resolve
}

export interface OutboundResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  url: string
}

type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>

/** A request that got no whole response; the message tells people what failed. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed'
}

/** Nobody has registered the name, or it is misspelt. */
export class UnknownHost extends OutboundFailed {
  constructor(hostname: string) {
    super(`The name ${hostname} doesn’t exist. Check the address for typing errors`)
  }
}

/** Follows no redirect: the caller requests its address, so that it is checked too. @throws OutboundRefused, OutboundFailed */
export async function request(address: string, options: OutboundRequest): Promise<OutboundResponse> {
  const url = parseAllowed(address, options)
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  const whole = new AbortController()
  // Not AbortSignal.timeout: that does not keep the process from ending.
  const timer = setTimeout(
    () => fail(new OutboundFailed(`No answer within ${options.milliseconds / 1000} seconds`)),
    options.milliseconds,
  )
  try {
    return await Promise.race([failure, exchange(url, options, whole.signal, fail)])
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new OutboundFailed(`The connection failed (${error.code})`, { cause: error })
  } finally {
    clearTimeout(timer)
    whole.abort()
  }
}

/** @param fail ends the exchange whatever it waits for: for some answers Node.js reports neither a response nor an error */
async function exchange(
  url: URL,
  { resolve = resolveName, method, headers, body, maxBytes, isLoopbackAllowed }: OutboundRequest,
  signal: AbortSignal,
  fail: (error: Error) => void,
): Promise<OutboundResponse> {
  const literal = literalOf(url)
  const addresses = literal ? [literal] : await resolve(url.hostname, signal)
  if (addresses.length === 0) throw new OutboundFailed(`The name ${url.hostname} has no address`)
  checkAddresses(addresses, { isLoopbackAllowed })
  signal.throwIfAborted()
  const { request: start } = url.protocol === 'https:' ? https : http
  const sent = start(url, {
    method,
    headers: {
      'accept-encoding': 'gzip, br',
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    agent: false,
    lookup: pinnedTo(addresses),
    signal,
  })
  // Errors count after the head, too: a body without a length would seem whole after the connection broke.
  sent.on('error', (error) => {
    if (maxBytes > 0) fail(error)
  })
  sent.once('upgrade', (_response, socket) => {
    socket.destroy()
    fail(new OutboundFailed('It answers with another protocol (status 101)'))
  })
  const maxBytesReceived = 2 * maxBytes + 65_536
  const watch = setInterval(() => {
    if ((sent.socket?.bytesRead ?? 0) > maxBytesReceived)
      fail(new OutboundFailed(`The answer has more than ${maxBytesReceived} bytes`))
  }, 50)
  signal.addEventListener('abort', () => clearInterval(watch), { once: true })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: maxBytes === 0 ? Buffer.alloc(0) : await read(response, maxBytes),
    url: url.href,
  }
}

/** Resolves a name without a thread of the pool, so that a slow name server holds up nobody else. @throws UnknownHost */
async function resolveName(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver()
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (found.every((result) => result.status === 'rejected' && result.reason.code === 'ENOTFOUND'))
    throw new UnknownHost(hostname)
  return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

/** Connects to the addresses that were checked: a second look-up could answer otherwise. */
function pinnedTo(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_hostname, { all: isAllWanted }, answer) => {
    if (isAllWanted) answer(null, all)
    else answer(null, all[0]!.address, all[0]!.family)
  }
}

const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const decoder = decoders[response.headers['content-encoding']?.toLowerCase() ?? '']?.()
  // A failure of either side ends the reading below.
  const stream = decoder ? pipeline(response, decoder, () => {}) : response
  // In one piece: a body may come in millions of parts.
  const body = new ArrayBuffer(0, { maxByteLength: maxBytes })
  for await (const part of stream) {
    const at = body.byteLength
    if (at + part.length > maxBytes) throw new OutboundFailed(`The body has more than ${maxBytes} bytes`)
    body.resize(at + part.length)
    new Uint8Array(body).set(part as Buffer, at)
  }
  return Buffer.from(body.transferToFixedLength())
}
