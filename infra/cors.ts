import { responseHeaders } from './openapi/headers.ts'

/** What pages of the allowed origins may do. No credentials: a key goes in a header that the page sets. */
export const cors = {
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: [
    ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-API-Key'],
    // What Retell and MCP clients send.
    ...['X-Retell-Signature', 'Accept', 'Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version', 'X-Call-Id'],
  ],
  exposeHeaders: Object.keys(responseHeaders),
  /** Browsers keep an answer for two hours at most. */
  maxAgeSeconds: 7200,
} as const

/** What pages of the API's own origin may do with the bucket: post files, in a form, and read them, with no headers of their own. */
export const filesCors = { allowMethods: ['GET', 'POST'], maxAgeSeconds: 3600 } as const

/** @throws Error that names the first that is no origin as browsers send it, nor `*` for any */
export function requireOrigins(origins: readonly string[]): string[] {
  const wrong = origins.find((origin) => origin !== '*' && !isOrigin(origin))
  if (wrong !== undefined)
    throw new Error(
      `an allowed origin is scheme, host and, if any, port, such as https://app.example.com, or * for any, not ${wrong}`,
    )
  return [...origins]
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
