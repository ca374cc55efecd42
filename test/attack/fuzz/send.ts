import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import type { TestStand } from '../../support/stand/stand.ts'
import type { FuzzRequest } from './generate/request.ts'
import type { Ledger } from './ledger.ts'
import type { World } from './world.ts'

/** A request with everything in it that it names. */
export interface Sent {
  request: FuzzRequest
  ids: Record<string, string>
  query: [string, string][]
  headers: Record<string, string>
  body: unknown
  event: APIGatewayProxyEventV2
}

export function prepared(stand: TestStand, ledger: Ledger, request: FuzzRequest): Sent {
  const name = (text: string) => ledger.name(request.who, text)
  const { operation, method } = request
  const ids = filled(request.ids, name)
  const query = filled(request.query, name)
  const headers = filled(request.headers, name)
  const body = filled(request.body, name)
  const bytes = filled(request.bytes, name)
  const rawPath =
    request.path === undefined
      ? operation.path.replaceAll(/\{(\w+)\}/g, (_, variable: string) => ids[variable]!)
      : name(request.path)
  const sentBody = bytes ?? (body === undefined ? undefined : JSON.stringify(body))
  const isText = sentBody === undefined || typeof sentBody === 'string'
  const routes = stand.functions.routes.map(({ route }) => route)
  const made = toEvent({ method: 'GET', url: encodeURI(encodeURI(rawPath.toWellFormed())) }, routes)!
  const lowered = Object.entries({
    ...keyHeaders(ledger.world, request),
    ...(sentBody !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }).map(([header, value]) => [header.toLowerCase(), value])
  const event = {
    ...made,
    rawPath,
    rawQueryString: query
      .map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='))
      .join('&'),
    headers: Object.fromEntries(lowered),
    requestContext: { ...made.requestContext, http: { ...made.requestContext.http, method, path: rawPath } },
    ...(sentBody !== undefined && { body: isText ? sentBody : Buffer.from(sentBody).toString('base64') }),
    isBase64Encoded: !isText,
  }
  return { request, ids, query, headers, body, event }
}

function keyHeaders(world: World, { who, key, carrier }: FuzzRequest): Record<string, string> {
  const { keys } = world[who]
  const own = { 'x-api-key': keys[key]!.key }
  const bearer = { authorization: `Bearer ${keys[key]!.key}` }
  const differing = { ...own, authorization: `Bearer ${keys.revoked!.key}x` }
  return { own, bearer, both: { ...own, ...bearer }, differing, none: {} }[carrier]
}

function filled<T>(value: T, name: (text: string) => string): T {
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') return name(part)
    if (Array.isArray(part)) return part.map(fill)
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return part
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, fill(child)]))
  }
  return fill(value) as T
}
