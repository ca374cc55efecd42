import { html } from 'hono/html'
import { languageOf } from '../../shared/retrieval/speech/languages.ts'
import type { Html } from './layout.ts'

/** The document of an answer, and what else to say of it, such as the page. */
export interface Source {
  title: string
  path: string
  details: readonly string[]
}

/** Shows what a caller hears, in its language, and where it is from. @param source undefined if its document was deleted */
export function heardView(text: string, source: Source | undefined): Html {
  const language = languageOf(`${source?.title ?? ''} ${text}`)?.code
  const quote = html`<blockquote${language && html` lang="${language}"`}>${text}</blockquote>`
  return html`${text !== '' && quote}${sourceView(source)}`
}

export function sourceView(source: Source | undefined): Html {
  if (!source) return html`<p class="hint">From a deleted document</p>`
  const { title, path, details } = source
  return html`<p class="hint">From <a href="${path}">${title}</a>${details.map((detail) => `, ${detail}`)}</p>`
}
