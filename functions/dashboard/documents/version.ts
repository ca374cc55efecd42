import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { keepBoth, replaceWithFile } from '../../../shared/documents/client/new-version.ts'
import { maxContentBytes } from '../../../shared/documents/contract/max-content-bytes.ts'
import type { DocumentId } from '../../../shared/ids.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import { isError } from '../error-view.ts'
import { agentPage, type Html } from '../layout.ts'
import { documentRoute } from '../paths.ts'
import { type Screens, valid } from '../screen.ts'
import { counted } from '../sentences.ts'
import type { Changes } from './changes.ts'
import { diffView } from './diff.ts'
import { editsField, unchanged } from './edits.ts'
import { findOverview, type Overview } from './overview.ts'
import { readEditable } from './text/text.ts'

/** Takes a person's answer: whether a held document replaces the one that it resembles. */
export function addVersionRoutes(screens: Screens, queue: Sender) {
  const one = { permission: 'kb:write' } as const
  const form = v.object({ edits: v.optional(editsField) })
  const kept = (title: string) => `“${title}” is kept, and will answer callers in a moment.`
  screens
    .post(`${documentRoute}/replace`, { ...one, form }, async ({ db, scope, form, origin }) => {
      const base = agentPage(scope.agentId, 'documents')
      const { edits } = valid(form)
      let other = ''
      try {
        const { title, changes } = await findOverview(db, scope)
        other = changes?.otherTitle ?? ''
        const replaced = await replaceWithFile({ db, queue }, scope, edits, origin)
        const text =
          replaced === scope.documentId
            ? kept(title)
            : `“${other}” gets the new text. Its earlier text is in its history.`
        return { redirect: `${base}/${replaced}`, flash: { text } }
      } catch (error) {
        return refusal(error, `${base}/${scope.documentId}`, base, other)
      }
    })
    .post(`${documentRoute}/keep`, one, async ({ db, scope, origin }) => {
      const base = agentPage(scope.agentId, 'documents')
      try {
        const { title } = await findOverview(db, scope)
        await keepBoth({ db, queue }, scope, origin)
        return { redirect: base, flash: { text: kept(title) } }
      } catch (error) {
        return refusal(error, `${base}/${scope.documentId}`, base)
      }
    })
}

/** Redirects to the page with the current state, and explains the error there. @throws any other error */
function refusal(error: unknown, address: string, base: string, other = '') {
  const says = (redirect: string, text: string) => ({ redirect, flash: { text, isError: true } })
  if (isError(error, 'document_not_found'))
    return says(base, 'Somebody has answered this already, or deleted the file.')
  if (isError(error, 'invalid_transition')) return says(address, 'Somebody has answered this already.')
  const isEdited = `Nothing was replaced: somebody has changed “${other}” in the meantime. Check what would change now.`
  return unchanged(error, address, isEdited)
}

/** Asks whether a held document replaces the one that it resembles. If that was deleted, only offers to serve it. */
export function questionView(base: string, { id, title, is_held, changes }: Overview) {
  if (!is_held) return ''
  if (!changes)
    return html`<div class="question"><form method="post" action="${base}/${id}/keep"><button aria-label="Serve “${title}”">Serve it</button></form></div>`
  const { otherTitle, otherEdits, parts } = changes
  const changed =
    parts === 0 ? 'no part changes' : parts && `${counted(parts, 'part')} ${parts === 1 ? 'changes' : 'change'}`
  return html`<div class="question"><form method="post" action="${base}/${id}/replace"><input type="hidden" name="edits" value="${otherEdits}">
<button>Replace “${otherTitle}”${changed && ` (${changed})`}</button></form>
<form method="post" action="${base}/${id}/keep"><button class="plain" aria-label="Keep both, “${title}” too">Keep both</button></form></div>`
}

/** Shows the changes that a held document would make to the other's text. @throws ApiError document_not_found */
export async function comparisonView(
  db: Database,
  scope: DocumentScope,
  { otherId, otherTitle }: Changes,
): Promise<Html> {
  const [before, after] = await Promise.all(
    [otherId as DocumentId, scope.documentId].map((documentId) =>
      readEditable(db, { ...scope, documentId }, maxContentBytes),
    ),
  )
  const said = { title: `What would change in “${otherTitle}”`, removed: 'removed', added: 'new' }
  return diffView(before?.content ?? '', after?.content ?? '', said)
}
