import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Context } from 'hono'

export type Asset = { mediaType: string; body: string; headers?: Record<string, string> }

export const briefly = 'public, max-age=300'
export const immutable = 'public, max-age=31536000, immutable'

/** Sends 304 to a caller that has the asset, and gzip to one that accepts it. Each encoding has its own strong entity tag. */
export function assetResponder({ mediaType, body, headers }: Asset, cacheControl = briefly) {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  let zipped: Uint8Array<ArrayBuffer> | undefined

  return (c: Context): Response => {
    const isZipped = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
    const tag = isZipped ? `"${digest}-gzip"` : `"${digest}"`
    c.header('etag', tag)
    c.header('cache-control', cacheControl)
    c.header('vary', 'Accept-Encoding')
    if (isListed(tag, c.req.header('if-none-match'))) return c.body(null, 304)
    for (const [name, value] of Object.entries(headers ?? {})) c.header(name, value)
    c.header('content-type', mediaType)
    c.header('x-content-type-options', 'nosniff')
    if (!isZipped) return c.body(body)
    zipped ??= new Uint8Array(gzipSync(body))
    c.header('content-encoding', 'gzip')
    return c.body(zipped)
  }
}

function isListed(tag: string, header = ''): boolean {
  return header.trim() === '*' || header.split(',').some((listed) => listed.trim().replace(/^W\//, '') === tag)
}
