import { html } from 'hono/html'
import * as v from 'valibot'
import type { Trier } from '../../../shared/checks/try-text.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { keepBoth, replaceWithFile } from '../../../shared/documents/client/new-version.ts'
import { corrected } from '../../../shared/documents/text/corrections.ts'
import type { DocumentId } from '../../../shared/ids.ts'
import { timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import { isError } from '../error-view.ts'
import { agentPage, type Html } from '../layout.ts'
import { documentRoute } from '../paths.ts'
import { stoppedView } from '../refused-change.ts'
import { type Screens, valid } from '../screen.ts'
import type { Checking } from './conflict-screens.ts'
import { stoppedBy } from './conflicts.ts'
import { diffView } from './diff.ts'
import { editsField } from './edits.ts'
import { type Changes, findOverview, type Overview } from './overview.ts'
import { readEditable } from './text/text.ts'

/** Takes a person's answer: whether a held document replaces the one that it resembles. */
export function addVersionRoutes(screens: Screens, queue: Sender, checking: Checking) {
  const one = { permission: 'kb:write', tab: 'documents' } as const
  const form = v.object({ edits: v.optional(editsField), update: v.optional(v.string()) })
  const kept = (title: string) => `“${title}” is kept, and will answer callers in a moment.`
  screens
    .post(`${documentRoute}/replace`, { ...one, form }, async ({ c, db, meter, scope, form, origin }) => {
      const base = agentPage(scope.agentId, 'documents')
      const { edits, update } = valid(form)
      try {
        const held = await findOverview(db, scope)
        const { title, changes } = held
        const trier = { db, ...checking, ...meter }
        const failing = changes ? await stoppedReplacing(trier, scope, changes, update !== undefined) : []
        if (failing.length > 0) {
          const keep = html`<form method="post" action="${base}/${held.id}/delete"><input type="hidden" name="edits" value="${held.edits}"><button class="plain">Keep the old version</button></form>`
          return await stoppedView(c, failing, { zone: timeZoneOf(held), of: 'file', keep })
        }
        const replaced = await replaceWithFile({ db, queue }, scope, edits, origin)
        const text =
          replaced === scope.documentId
            ? kept(title)
            : `“${changes?.otherTitle}” gets the new text. Its earlier text is in its history.`
        return { redirect: `${base}/${replaced}`, flash: { text } }
      } catch (error) {
        return isAnswered(error, base)
      }
    })
    .post(`${documentRoute}/keep`, one, async ({ db, scope, origin }) => {
      const base = agentPage(scope.agentId, 'documents')
      try {
        const { title } = await findOverview(db, scope)
        await keepBoth({ db, queue }, scope, origin)
        return { redirect: base, flash: { text: kept(title) } }
      } catch (error) {
        return isAnswered(error, base)
      }
    })
}

/** The other's text, and the held document's with the other's corrections. @throws ApiError document_not_found */
async function textsOf(db: Database, scope: DocumentScope, { otherId }: Changes) {
  const ids = [otherId as DocumentId, scope.documentId]
  const [other, held] = await Promise.all(ids.map((documentId) => readEditable(db, { ...scope, documentId })))
  return { before: other?.content ?? '', after: corrected(held?.content ?? '', other?.corrections ?? []) }
}

/** The checks that stop a held document from replacing the other, which keeps its title. */
async function stoppedReplacing(trier: Trier, scope: DocumentScope, changes: Changes, isUpdating: boolean) {
  const replaced = { ...scope, documentId: changes.otherId as DocumentId }
  try {
    const { after } = await textsOf(trier.db, scope, changes)
    return await stoppedBy(trier, replaced, { title: changes.otherTitle, content: after }, isUpdating)
  } catch (error) {
    // Either was deleted meanwhile: nothing is replaced.
    if (isError(error, 'document_not_found')) return []
    throw error
  }
}

/** @throws any other error */
function isAnswered(error: unknown, base: string) {
  if (!isError(error, 'document_not_found') && !isError(error, 'invalid_transition')) throw error
  return { redirect: base, flash: { text: 'Somebody has answered this already, or deleted the file.', isError: true } }
}

/** Asks whether a held document replaces the one that it resembles. If that was deleted, only offers to serve it. */
export function questionView(base: string, { id, title, is_held, changes }: Overview, isInList = false) {
  if (!is_held) return ''
  if (!changes)
    return html`<div class="actions"><form method="post" action="${base}/${id}/keep"><button aria-label="Serve “${title}”">Serve it</button></form></div>`
  const { otherTitle, otherEdits } = changes
  return html`<div class="actions"><form method="post" action="${base}/${id}/replace"><input type="hidden" name="edits" value="${otherEdits}">
<button>Replace “${otherTitle}”</button></form>
<form method="post" action="${base}/${id}/keep"><button class="plain" aria-label="Keep both, “${title}” too">Keep both</button></form>${isInList && html`<a class="button quiet" href="${base}/${id}" aria-label="Compare “${title}” with “${otherTitle}”">Compare</a>`}</div>`
}

/** Shows the changes that a held document would make to the other's text. @throws ApiError document_not_found */
export async function comparisonView(db: Database, scope: DocumentScope, changes: Changes): Promise<Html> {
  const { before, after } = await textsOf(db, scope, changes)
  const said = { title: `What would change in “${changes.otherTitle}”`, removed: 'removed', added: 'new' }
  return diffView(before, after, said)
}
