import { html } from 'hono/html'
import type { ListedRevision, Revision } from '../../../../shared/documents/revisions.ts'
import { fileNameOfKey, keyOfUrl } from '../../../../shared/files/file-url.ts'
import type { Html } from '../../layout.ts'
import { localTime } from '../../times.ts'
import { words } from '../../words.ts'
import { compareTexts, type Part } from './compare.ts'

const maxTextShown = 100_000

/** The document as it is now. */
interface Current {
  content: string | null
  managed_by: 'service' | 'client'
  source_url: string | null
  edits: number
}

export function listView(revisions: ListedRevision[], address: string): Html {
  if (revisions.length === 0)
    return html`<p class="none">Nothing yet: callers haven’t got answers from this document, or its history isn’t kept.</p>`
  return html`<p>What callers got answers from, newest first. The last 20 texts are kept, each for a year after it was replaced.</p><ul class="rows">${revisions.map(
    (each) =>
      html`<li><div class="what"><p class="name"><a href="${address}/history/${each.revision}">${localTime(each.created_at)}</a></p>
${aboutView(each)}</div>${each.is_served && html`<p class="state good">Served now</p>`}</li>`,
  )}</ul>`
}

function aboutView({ title, created_by, bytes }: ListedRevision): Html {
  return html`<p class="hint">“${title}”${created_by !== null && ` · by ${created_by}`}${bytes === null && ` · Passages from your own system, whose text isn’t kept`}</p>`
}

/** A revision's text, or what restoring it would change in the current one. */
export function revisionView(revision: Revision, current: Current, address: string, mayWrite: boolean): Html {
  const { content } = revision
  const text = current.managed_by === 'service' ? current.content : null
  const isSame = text === content
  return html`<p>${localTime(revision.created_at)}</p>${aboutView(revision)}
${
  content !== null &&
  html`${isSame || text === null ? textView(content) : changesView(text, content)}
${isSame ? html`<p class="hint">The document has this text.</p>` : mayWrite && restoreView(revision, current, address)}`
}`
}

function textView(content: string): Html {
  const shown = content.slice(0, maxTextShown).toWellFormed()
  return html`<section class="text"><h2>Text</h2><div class="running-text">${shown}${shown.length < content.length && '…'}</div></section>`
}

export function changesView(
  text: string,
  content: string,
  said = { changes: 'What restoring it would change', legend: { removed: 'removed', added: 'restored' } },
): Html {
  const { parts, isCut } = compareTexts(text, content)
  return html`<section class="text"><h2>${said.changes}</h2>
<p class="hint"><del>${said.legend.removed}</del> <ins>${said.legend.added}</ins></p>
<div class="running-text">${parts.map(partView)}</div>${isCut && html`<p class="hint">The rest of the changes isn’t shown.</p>`}</section>`
}

function partView({ kind, text }: Part): Html {
  if (kind === 'same') return html`${text}`
  return kind === 'removed' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`
}

function restoreView({ revision }: Revision, { source_url, edits }: Current, address: string): Html {
  return html`${source_url !== null && html`<p class="notice warn">The document becomes a text: its file ${fileNameOfKey(keyOfUrl(source_url))} will be deleted.</p>`}
<form method="post" action="${address}/history/${revision}/restore"><input type="hidden" name="edits" value="${edits}">
<p class="hint">The current text stays in the history if callers got answers from it. The title and dates don’t change.</p>
<div class="actions"><button>Restore this text</button> <a class="button plain" href="${address}/history">${words.cancel}</a></div></form>`
}
