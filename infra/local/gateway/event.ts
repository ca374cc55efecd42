import { isUtf8 } from 'node:buffer'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { selectRoute } from './route.ts'

export interface GatewayRequest {
  method: string
  url: string
  headers?: Record<string, string | string[] | undefined>
  body?: Uint8Array | string
  sourceIp?: string
}

/** @throws URIError for a path that API Gateway answers with 400 */
export function toEvent(request: GatewayRequest, routes: readonly string[]): APIGatewayProxyEventV2 | undefined {
  const { method, url, sourceIp = '127.0.0.1' } = request
  const queryStart = url.indexOf('?')
  const sent = queryStart < 0 ? url : url.slice(0, queryStart)
  const decoded = decodePath(sent)
  const path = decoded ?? sent
  const rawQueryString = queryStart < 0 ? '' : url.slice(queryStart + 1)
  const selected = selectRoute(routes, path)
  if (!selected) return undefined
  const rawPath = decoded === undefined ? sent : decodeURIComponent(decoded)

  const { cookie, ...headers } = joinHeaders(request.headers ?? {})
  const domainName = (headers.host ?? 'localhost').replace(/:\d+$/, '')
  const routeKey = selected.route === '$default' ? '$default' : `ANY ${selected.route}`
  const queryStringParameters = joinQuery(rawQueryString)
  const now = new Date()
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookie && { cookies: cookie.split(/; */) }),
    headers,
    ...(queryStringParameters && { queryStringParameters }),
    ...(selected.parameters && { pathParameters: selected.parameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' },
      requestId: crypto.randomUUID(),
      routeKey,
      stage: '$default',
      time: toLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...toBody(Buffer.from(request.body ?? ''), headers['content-type'] ?? ''),
  }
}

/** Decodes a path. API Gateway drops the part after a decoded `?`, then decodes again. Undefined for a malformed escape. */
function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path).split('?')[0] ?? ''
  } catch {
    return undefined
  }
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'])

function joinHeaders(headers: NonNullable<GatewayRequest['headers']>): Record<string, string> {
  const joined = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (value === undefined || hopByHop.has(key)) continue
    joined.set(key, [joined.get(key) ?? [], value].flat().join(key === 'cookie' ? '; ' : ','))
  }
  return Object.fromEntries(joined)
}

function joinQuery(rawQueryString: string): Record<string, string> | undefined {
  const joined = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = joined.get(name)
    joined.set(name, before === undefined ? value : `${before},${value}`)
  }
  return joined.size > 0 ? Object.fromEntries(joined) : undefined
}

// Undocumented: these types were observed as text. All others, and a missing type, arrive as base64.
const textTypes = /^(text\/.*|application\/(json|xml|javascript))$/i

export function toBody(body: Buffer, contentType: string): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  if (body.length === 0) return { isBase64Encoded: false }
  const mediaType = contentType.split(';')[0]?.trim() ?? ''
  // Assumption: text that is not UTF-8 arrives as base64, which keeps it intact.
  const isText = textTypes.test(mediaType) && isUtf8(body)
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText }
}

function toLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(/,? /)
  return `${day}/${month}/${year}:${clock} +0000`
}
