import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The answer of a path: HTML, a status, or none. */
export type Answer = string | number | { status?: number; headers?: Record<string, string>; body?: string }

/** A website on loopback until the test ends, whose pages may change. Without an answer a path is 404. */
export async function website(pages: Record<string, Answer>) {
  const asked: string[] = []
  const state = { pages, onRequest: async (_path: string) => {} }
  const server = createServer((request, response) => {
    const path = request.url!
    asked.push(path)
    void state.onRequest(path).then(() => {
      const answer = state.pages[path] ?? 404
      const {
        status = 200,
        headers = {},
        body = '',
      } = typeof answer === 'string' ? { body: answer } : typeof answer === 'number' ? { status: answer } : answer
      if (headers.etag !== undefined && headers.etag === request.headers['if-none-match'])
        return void response.writeHead(304).end()
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return Object.assign(state, { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** A page with words of its own and links. */
export function page(title: string, text: string, ...links: string[]): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
  return `<html><head><title>${title}</title></head><body><nav><ul>${list}</ul></nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`
}
