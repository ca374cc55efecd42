import type { IncomingMessage } from 'node:http'
import { filesCors } from '../../cors.ts'

export interface CorsRequest {
  method: string
  headers: IncomingMessage['headers']
  raw: IncomingMessage
}

/** Empty for an origin that the CORS rule does not name. */
export function corsHeaders(request: CorsRequest, origins: ReadonlySet<string>): Record<string, string> {
  const { origin } = request.headers
  if (origin === undefined || !origins.has(origin) || isForbiddenPreflight(request, origins)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': filesCors.allowMethods.join(', '),
    'access-control-max-age': `${filesCors.maxAgeSeconds}`,
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}

export function isForbiddenPreflight({ method, headers }: CorsRequest, origins: ReadonlySet<string>): boolean {
  if (method !== 'OPTIONS') return false
  const { origin = '', 'access-control-request-method': wanted = '', 'access-control-request-headers': named } = headers
  return !origins.has(origin) || !filesCors.allowMethods.some((allowed) => allowed === wanted) || Boolean(named)
}
