import { responseHeaders } from './openapi/headers.ts'

/** Requests that pages of allowed origins may send. Without credentials, because a page sends its key in a header. */
export const cors = {
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: [
    ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-API-Key'],
    // Headers that Retell and MCP clients send.
    ...['X-Retell-Signature', 'Accept', 'Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version', 'X-Call-Id'],
    'Traceparent',
  ],
  exposeHeaders: Object.keys(responseHeaders),
  /** Browsers cache a preflight answer for at most two hours. */
  maxAgeSeconds: 7200,
} as const

/** Lets pages of the API's own origin post files to the bucket by form, and read them, without headers of their own. */
export const filesCors = { allowMethods: ['GET', 'POST'], maxAgeSeconds: 3600 } as const

/** @throws Error that names the first entry that is neither `*` nor an origin as browsers send it */
export function requireOrigins(origins: readonly string[]): string[] {
  const wrong = origins.find((origin) => origin !== '*' && !isOrigin(origin))
  if (wrong !== undefined)
    throw new Error(
      `an allowed origin is * or a scheme, a host and any port, such as https://app.example.com, not ${wrong}`,
    )
  return [...origins]
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
