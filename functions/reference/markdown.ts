import { type html, raw } from 'hono/html'
import { Marked } from 'marked'

export type Html = ReturnType<typeof html> | ''

export function inline(markdown: string): Html {
  return raw(new Marked().parseInline(markdown, { async: false }))
}

export function blocks(markdown: string): Html {
  return raw(new Marked().parse(markdown, { async: false }))
}
