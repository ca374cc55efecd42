import { Resolver } from 'node:dns/promises'
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
  /** The maximum of the body, decompressed; with 0 the body is not read. */
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

export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>

/** A request without a whole response; the message says what failed, for people. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed'
}

/** Follows no redirect: the caller asks for its address, which is checked again. @throws OutboundRefused, OutboundFailed */
export async function request(address: string, options: OutboundRequest): Promise<OutboundResponse> {
  const url = parseAllowed(address, options)
  const signal = AbortSignal.timeout(options.milliseconds)
  try {
    const literal = literalOf(url)
    const addresses = literal ? [literal] : await (options.resolve ?? resolveName)(url.hostname, signal)
    if (addresses.length === 0) throw new OutboundFailed(`The name ${url.hostname} has no address`)
    checkAddresses(addresses, options)
    const response = await send(url, options, pinnedTo(addresses), signal)
    const body = options.maxBytes === 0 ? Buffer.alloc(0) : await read(response, options.maxBytes)
    return { status: response.statusCode ?? 0, headers: response.headers, body, url: url.href }
  } catch (error) {
    if (signal.aborted) throw new OutboundFailed(`No answer within ${options.milliseconds / 1000} seconds`)
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new OutboundFailed(`The connection failed (${error.code})`, { cause: error })
  }
}

/** Asks without a thread of the pool, so that a slow name server holds up nobody else. */
async function resolveName(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver()
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
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

async function send(
  url: URL,
  { method, headers, body, maxBytes }: OutboundRequest,
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { request: start } = url.protocol === 'https:' ? https : http
  const sent = start(url, {
    method,
    headers: {
      'accept-encoding': 'gzip, br',
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    agent: false,
    lookup,
    signal,
  })
  sent.on('error', reject)
  sent.once('response', (response) => {
    resolve(response)
    if (maxBytes === 0) response.destroy()
  })
  sent.end(body)
  return await promise
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
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.length
    if (bytes > maxBytes) throw new OutboundFailed(`The body has more than ${maxBytes} bytes`)
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts)
}
