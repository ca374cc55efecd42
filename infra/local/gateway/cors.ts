import type { IncomingMessage } from 'node:http'
import { cors, requireOrigins } from '../../cors.ts'

type Request = Pick<IncomingMessage, 'method' | 'headers'>

/** @throws Error on one line if an element of the comma-separated list is not an origin */
export function parseOrigins(list: string): string[] {
  const origins = list.split(',').map((origin) => origin.trim())
  try {
    return requireOrigins(origins.filter((origin) => origin !== ''))
  } catch (error) {
    throw new Error(`CORS_ORIGINS: ${(error as Error).message}`, { cause: error })
  }
}

/** An HTTP API with a CORS configuration answers preflight requests itself. Any other OPTIONS goes to a function. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers
}

/** Replaces the function's CORS headers by the gateway's. An origin that isn't allowed gets none. */
export function withCors<Value>(
  headers: Record<string, Value>,
  request: Request,
  allowed: readonly string[],
): Record<string, Value | string> {
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('access-control-')))
  const { origin = '' } = request.headers
  const named = allowed.includes('*') ? '*' : origin
  if (!origin || !allowed.includes(named)) return own
  return {
    ...own,
    'access-control-allow-origin': named,
    ...(isPreflight(request) ? permissions : { 'access-control-expose-headers': listed(cors.exposeHeaders) }),
  }
}

const permissions = {
  'access-control-allow-methods': cors.allowMethods.join(','),
  'access-control-allow-headers': listed(cors.allowHeaders),
  'access-control-max-age': `${cors.maxAgeSeconds}`,
}

function listed(names: readonly string[]): string {
  return names.join(',').toLowerCase()
}
