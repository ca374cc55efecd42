import { html } from 'hono/html'
import * as v from 'valibot'
import { editDocument } from '../../../shared/documents/client/edit-document.ts'
import { correctText } from '../../../shared/documents/client/edits.ts'
import {
  getRevision,
  type ListedRevision,
  listRevisions,
  type Revision,
  restoreRevision,
} from '../../../shared/documents/client/revisions.ts'
import { fileNameOfKey, keyOfUrl } from '../../../shared/files/file-url.ts'
import { timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import type { Html } from '../layout.ts'
import { textView } from '../passage-text.ts'
import { documentPath, documentRoute } from '../paths.ts'
import { stoppedView } from '../refused-change.ts'
import { type Screens, valid } from '../screen.ts'
import { localTime } from '../times.ts'
import type { Checking } from './conflict-screens.ts'
import { stoppedBy } from './conflicts.ts'
import { diffView } from './diff.ts'
import { editsField, unedited } from './edits.ts'
import { findOverview } from './overview.ts'
import { isStopped } from './state.ts'
import { correctionsAfter } from './text/corrections.ts'
import { type Editable, readEditable } from './text/text.ts'

const path = `${documentRoute}/history` as const
const restoring = {
  permission: 'kb:write',
  tab: 'documents',
  /** `update`: makes checks that stop the text expect it. */
  form: v.object({ edits: v.optional(editsField), update: v.optional(v.string()) }),
} as const

export function addHistoryScreens(screens: Screens, queue: Sender, checking: Checking) {
  screens
    .get(path, { permission: 'kb:read', tab: 'documents' }, async ({ db, scope }) => {
      const [document, { revisions }] = await Promise.all([
        findOverview(db, scope),
        listRevisions(db, scope, { limit: 100 }),
      ])
      const address = documentPath(scope.agentId, document.id)
      const content = listView(revisions, address)
      return { title: `History of “${document.title}”`, crumbs: [[document.title, address]], content }
    })
    .get(`${path}/:revision`, { permission: 'kb:read', tab: 'documents' }, async ({ db, scope, may }) => {
      const [document, revision] = await Promise.all([readEditable(db, scope), getRevision(db, scope, scope.revision)])
      const address = documentPath(scope.agentId, scope.documentId)
      return {
        title: revision.is_served ? 'Text served now' : 'Earlier text',
        crumbs: [
          [document.title, address],
          ['History', `${address}/history`],
        ],
        content: revisionView(revision, document, address, may('kb:write')),
      }
    })
    .post(`${path}/:revision/restore`, restoring, async ({ c, db, meter, scope, form, origin }) => {
      const address = documentPath(scope.agentId, scope.documentId)
      const { edits, update } = valid(form)
      const [document, { content }] = await Promise.all([
        findOverview(db, scope),
        getRevision(db, scope, scope.revision),
      ])
      const text = content !== null && { title: document.title, content }
      const trier = { db, ...checking, ...meter }
      const failing = text ? await stoppedBy(trier, scope, text, update !== undefined) : []
      if (failing.length > 0) {
        const keep = html`<a class="button plain" href="${address}">Keep the text of now</a>`
        return await stoppedView(c, failing, { zone: timeZoneOf(document), of: 'earlier', keep })
      }
      const match = unedited(edits)
      if (content === null || document.source_url === null || isStopped(document))
        await restoreRevision({ db, queue }, scope, scope.revision, origin, match)
      else {
        const change = correctText({ content }, correctionsAfter)
        await editDocument({ db, queue }, scope, change, { origin, match, readsText: true })
      }
      return { redirect: address, flash: { text: `“${document.title}” gets its earlier text again.` } }
    })
}

function listView(revisions: ListedRevision[], address: string): Html {
  if (revisions.length === 0)
    return html`<p class="none">Nothing yet: callers haven’t got answers from this document, or its history isn’t kept.</p>`
  return html`<p>The texts that callers got answers from, newest first. The last 20 texts are kept, each for a year after it was replaced.</p><ul class="rows">${revisions.map(
    (each) =>
      html`<li><div class="what"><p class="name">${localTime(each.created_at)}</p>
${aboutView(each)}</div>${each.is_served && html`<p class="state good">Served now</p>`}
<a class="button quiet" href="${address}/history/${each.revision}">${each.is_served ? 'Show' : 'Compare'}<span class="unseen"> the text of ${localTime(each.created_at)}</span></a></li>`,
  )}</ul>`
}

function aboutView({ title, created_by, bytes }: ListedRevision): Html {
  return html`<p class="hint">“${title}”${created_by !== null && ` · by ${created_by}`}${bytes === null && ` · Parts from your own system, whose text isn’t kept`}</p>`
}

/** Shows a revision's text, or the changes that restoring it would make to the current text. */
function revisionView(revision: Revision, current: Editable, address: string, mayWrite: boolean): Html {
  const { content } = revision
  const text = current.managed_by === 'service' ? current.content : null
  const isSame = text === content
  const said = { title: 'What restoring it would change', removed: 'removed', added: 'restored' }
  return html`<p>${localTime(revision.created_at)}</p>${aboutView(revision)}
${
  content !== null &&
  html`${isSame || text === null ? textView(content) : diffView(text, content, said)}
${isSame ? html`<p class="hint">The document has this text.</p>` : mayWrite && restoreView(revision, current, address)}`
}`
}

function restoreView({ revision }: Revision, { source_url, edits }: Editable, address: string): Html {
  return html`${source_url !== null && html`<p class="notice">The file ${fileNameOfKey(keyOfUrl(source_url))} stays as it is, and its text is corrected to this one.</p>`}
<form method="post" action="${address}/history/${revision}/restore"><input type="hidden" name="edits" value="${edits}">
<p class="hint">The current text stays in the history if callers got answers from it. The title and dates don’t change.</p>
<div class="actions"><button>Restore this text</button> <a class="button plain" href="${address}/history">Cancel</a></div></form>`
}
