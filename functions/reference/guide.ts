import { html, raw } from 'hono/html'
import { Marked, type Tokens } from 'marked'
import { endpointsOf, type OpenApi, responseBody, samplePath } from './document.ts'
import type { Html } from './markdown.ts'
import { codeBlock, requestPanel } from './panel.ts'

export type Guide = { id: string; title: string; body: Html }

/** Renders a guide with its headings one level lower. A code block of the language `http` (request line, headers, empty line, body) becomes a panel. */
export function guide(id: string, markdown: string, openApi: OpenApi): Guide {
  let title = id
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens)
        if (depth === 1) title = this.parser.parseInline(tokens, this.parser.textRenderer)
        return `<h${depth + 1}>${text}</h${depth + 1}>`
      },
      code({ text, lang = '' }: Tokens.Code) {
        return String(lang === 'http' ? requestPanel(parseRequest(text, openApi)) : codeBlock(text))
      },
    },
  })
  const body = html`${raw(marked.parse(markdown, { async: false }))}`
  return { id, title, body }
}

function parseRequest(text: string, openApi: OpenApi) {
  const [head = '', body] = text.split('\n\n', 2)
  const [line = '', ...headerLines] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(headerLines.map((header) => header.split(': ') as [string, string]))
  const operation = endpointsOf(openApi).find(
    (one) => one.method === method && samplePath(one.path) === path.split('?')[0],
  )
  if (!operation) throw new Error(`no operation ${line}`)
  const sent = body === undefined ? undefined : (JSON.parse(body) as unknown)
  return { method, path, headers, body: sent, response: responseBody(openApi, operation) }
}
