import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { OutboundFailed, type request, UnknownHost } from '../../../shared/outbound/request.ts'
import { listen } from '../../support/http/loopback.ts'

export interface Answer {
  status?: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Never answers. */
  isSilent?: boolean
}

export type Page = string | Answer | ((path: string, headers: IncomingHttpHeaders) => string | Answer)

/** A website: its pages by path, which a test changes. */
export class Site {
  url = ''
  readonly pages: Map<string, Page>
  readonly requests: string[] = []
  /** Answers in place of the pages, unless it gives undefined. */
  fault: ((path: string) => string | Answer | undefined) | undefined

  constructor(pages: Record<string, Page>) {
    this.pages = new Map(Object.entries(pages))
  }

  set(path: string, page: Page): void {
    this.pages.set(path, page)
  }

  remove(path: string): void {
    this.pages.delete(path)
  }

  answer(path: string, headers: IncomingHttpHeaders): Required<Omit<Answer, 'isSilent'>> & { isSilent: boolean } {
    this.requests.push(path)
    const fault = this.fault?.(path)
    const page = fault ?? this.pages.get(path) ?? { status: 404, body: '<h1>Not found</h1>' }
    const found = typeof page === 'function' ? page(path, headers) : page
    const {
      status = 200,
      headers: own = {},
      body = '',
      isSilent = false,
    } = typeof found === 'string' ? { body: found } : found
    const bytes = typeof body === 'string' ? body.replaceAll('{{url}}', this.url) : body
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
    const all = { 'content-type': 'text/html; charset=utf-8', ...(status === 200 && { etag }), ...own }
    const isUnchanged = status === 200 && headers['if-none-match'] === all.etag && all.etag !== undefined
    return isUnchanged
      ? { status: 304, headers: all, body: '', isSilent }
      : { status, headers: all, body: bytes, isSilent }
  }

  /** @returns a function that stops it */
  async start(): Promise<() => Promise<void>> {
    const { origin, close } = await listen(({ url = '/', headers }, response) => {
      const { status, headers: own, body, isSilent } = this.answer(url, headers)
      if (!isSilent) response.writeHead(status, own).end(body)
    })
    this.url = origin
    return close
  }
}

/** Requests pages of these sites, without a network. */
export function requestTo(...sites: Site[]): typeof request {
  return async (address, { headers, maxBytes }) => {
    const { origin, pathname, search } = new URL(address)
    const site = sites.find(({ url }) => url === origin)
    if (!site) throw new UnknownHost(new URL(address).hostname)
    const answer = site.answer(pathname + search, headers)
    const body = Buffer.from(answer.body)
    if (answer.isSilent) throw new OutboundFailed('No answer within 10 seconds')
    if (body.length > maxBytes) throw new OutboundFailed(`The body has more than ${maxBytes} bytes`)
    const all = answer.headers as IncomingHttpHeaders
    return await Promise.resolve({ status: answer.status, headers: all, body, url: address })
  }
}
