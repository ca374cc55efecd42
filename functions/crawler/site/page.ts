import { payloadBytes, payloadLimit } from '../../../shared/http/payload.ts'
import { cleanText } from '../../../shared/text/clean-text.ts'
import { decodeText } from '../../../shared/text/decode-text.ts'
import { declaredEncoding, isHtml } from '../../../shared/text/html/html.ts'
import { Unreadable } from '../../../shared/text/unreadable.ts'
import type { Client } from './client.ts'
import { type Followed, follow } from './follow.ts'
import { asksNotToBeListed, robotsRules } from './robots-tag.ts'
import { standInReason } from './stand-in.ts'
import { readWebPage, type WebPage } from './web-page.ts'

/** The address of a page follows from redirects and its own `canonical` link, and may differ from the requested one. */
export type Fetched =
  | {
      kind: 'page'
      address: string
      /** True if every redirect to that address was permanent. */
      isMoved: boolean
      title: string
      /** Markdown, as of an HTML file. */
      text: string
      /** Canonical addresses on the same host, each once, in the page's order. */
      links: string[]
      etag: string | null
      lastModified: string | null
    }
  | { kind: 'unchanged' }
  /** 404 or 410, twice. */
  | { kind: 'gone' }
  /** The page has no text for a document. The reason is a sentence for people; the links are followed nevertheless. */
  | { kind: 'left_out'; reason: string; links?: string[] }
  /** No answer, or an error of the site; a later attempt may succeed. */
  | { kind: 'failed'; reason: string }

export interface FetchOptions {
  etag?: string | null
  lastModified?: string | null
  /** True if the website's scope and robots.txt allow an address that the page redirects to, or gives as its own. */
  allows?: (address: string) => boolean
  /** How many pages led here by a refresh. */
  refreshes?: number
}

const maxRefreshes = 3
const maxBytes = 5 * 1024 * 1024
const files = /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|epub|zip|gz|rar|7z)$/i
const aFile = 'It is a file, not a web page: upload it as a file.'
const aPdf = 'It is a PDF: upload it as a file.'

export async function fetchPage(client: Client, address: string, options: FetchOptions = {}): Promise<Fetched> {
  const { pathname } = new URL(address)
  if (files.test(pathname)) return { kind: 'left_out', reason: /\.pdf$/i.test(pathname) ? aPdf : aFile }
  const first = await attempt(client, address, options)
  const { fetched, leadsTo } = first.isDoubtful ? await attempt(client, address, options) : first
  if (!leadsTo) return fetched
  const { allows = () => true, refreshes = 0 } = options
  if (!allows(leadsTo)) return { kind: 'left_out', reason: `It leads to ${leadsTo}, which is not part of this source.` }
  if (refreshes === maxRefreshes)
    return { kind: 'left_out', reason: 'It leads on to other pages more than three times.' }
  return await fetchPage(client, leadsTo, { allows, refreshes: refreshes + 1 })
}

/** An answer is doubtful if a second request may get a better one: one odd 404 must not delete a page. */
async function attempt(
  client: Client,
  address: string,
  { etag, lastModified, allows }: FetchOptions,
): Promise<{ fetched: Fetched; isDoubtful?: boolean; leadsTo?: string | undefined }> {
  const conditions = {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  }
  const followed = await follow(client, address, { headers: conditions, maxBytes, allows })
  if ('kind' in followed) return { fetched: followed }
  const { status } = followed.response
  if (status === 304 && (etag || lastModified)) return { fetched: { kind: 'unchanged' } }
  if (status === 404 || status === 410) return { fetched: { kind: 'gone' }, isDoubtful: true }
  if (status === 200 || status === 203) return read(followed, allows)
  const reason = `It answers with the status ${status}.`
  if (status === 429 || status >= 500) return { fetched: { kind: 'failed', reason }, isDoubtful: true }
  return { fetched: { kind: 'left_out', reason: refusals[status] ?? reason } }
}

const refusals: Record<number, string> = {
  401: 'It asks visitors to log in.',
  403: 'The site refuses to show it to programs (status 403).',
}

/** A page that sends its readers on at once has no document of its own. */
function read(followed: Followed, allows: FetchOptions['allows']): { fetched: Fetched; leadsTo?: string | undefined } {
  const page = pageOf(followed)
  if ('kind' in page) return { fetched: page }
  return { fetched: fetchedOf(followed, page, allows), leadsTo: page.leadsTo }
}

function pageOf({ response, address }: Followed): WebPage | Fetched {
  const { headers, body } = response
  const type = headers['content-type'] ?? ''
  const file = fileReason(body, type)
  if (file) return { kind: 'left_out', reason: file }
  try {
    const charset = /charset\s*=\s*["']?([\w-]+)/i.exec(type)?.[1]
    const text = decodeText(body, charset ?? declaredEncoding(body)).replace(/^\ufeff/, '')
    const robotsTags = [headers['x-robots-tag'] ?? []].flat()
    const page: WebPage = isHtml(text, /text\/(plain|[\w-]*markdown)/i.test(type) ? '' : '.html')
      ? readWebPage(text, address, robotsTags)
      : { text: cleanText(text), isNoindex: asksNotToBeListed(robotsRules([], robotsTags)) }
    if (payloadBytes(JSON.stringify(page.text)) > payloadLimit) throw new Unreadable('too_much_text')
    return page
  } catch (error) {
    // Deep nesting exhausts the stack.
    if (error instanceof Unreadable || error instanceof RangeError)
      return { kind: 'left_out', reason: 'It is too large or too complex to be read, or no text.' }
    throw error
  }
}

function fetchedOf(
  { response, address, isMoved }: Followed,
  page: WebPage,
  allows: FetchOptions['allows'] = () => true,
): Fetched {
  const { headers } = response
  const { links = [], ownAddress } = page
  const reason = page.isNoindex ? 'It asks not to be listed (noindex).' : standInReason(page)
  if (reason) return { kind: 'left_out', reason, links }
  const own = ownAddress && allows(ownAddress) ? ownAddress : address
  return {
    kind: 'page',
    address: own,
    isMoved,
    title: page.title ?? own.replace(/^https?:\/\/|\/$/g, ''),
    text: page.text,
    links,
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
  }
}

/** Why a file is left out, by its first bytes, then by its content type. */
function fileReason(body: Buffer, type: string): string | undefined {
  const start = body.toString('latin1', 0, 1_024)
  const begins = (signature: string) => start.startsWith(signature)
  if (start.includes('%PDF-')) return aPdf
  if (['PK\x03\x04', '\xd0\xcf\x11\xe0', '{\\rtf', 'Rar!', '7z\xbc\xaf', '\x1f\x8b'].some(begins)) return aFile
  if (['\x89PNG', '\xff\xd8\xff', 'GIF8'].some(begins)) return 'It is a picture.'
  if (type && !/html|text\/(plain|markdown|x-markdown)|octet-stream/i.test(type))
    return `It is not a web page, but ${type.split(';')[0]!.trim()}.`
  return undefined
}
