import { type html, raw } from 'hono/html'
import { Marked } from 'marked'

export type Html = ReturnType<typeof html> | ''

/** Inline Markdown, such as a description of one sentence. */
export function inline(markdown: string): Html {
  return raw(new Marked().parseInline(markdown, { async: false }))
}

/** Markdown of several paragraphs, such as an operation's description. */
export function blocks(markdown: string): Html {
  return raw(new Marked().parse(markdown, { async: false }))
}
