import { html } from 'hono/html'
import * as v from 'valibot'
import { type Failing, updateChecks } from '../../../shared/checks/decide.ts'
import type { Trier } from '../../../shared/checks/try-text.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { editDocument } from '../../../shared/documents/client/edit-document.ts'
import { retry } from '../../../shared/documents/client/edits.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { withoutWarnings } from '../../../shared/knowledge/warnings.ts'
import { timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import type { Html } from '../layout.ts'
import { documentPath, documentRoute } from '../paths.ts'
import { brokenView, ignoring, laterView, updating } from '../refused-change.ts'
import { type Screens, valid } from '../screen.ts'
import { findConflict } from './conflicts.ts'
import { editsField, unedited } from './edits.ts'
import { findOverview, type Overview } from './overview.ts'
import { isStopped } from './state.ts'

export type Checking = Pick<Trier, 'embedder' | 'chunkSize'>

const permission = 'kb:write'
/** `checks`: the ids of the checks that the person has seen. */
const updated = v.object({ edits: editsField, checks: v.string() })
const idsOf = (failing: readonly Failing[]) =>
  failing
    .map((each) => each.golden_question_id)
    .sort()
    .join()

/** Decides between a document's old and new text where checks expect the old one. */
export function addConflictRoutes(screens: Screens, queue: Sender, checking: Checking) {
  screens
    .post(`${documentRoute}/update-checks`, { permission, form: updated }, async (request) => {
      const { db, scope, meter, origin, form } = request
      const document = await findOverview(db, scope)
      const { edits, checks } = valid(form)
      const { failing } = await findConflict({ db, ...checking, ...meter }, scope, document)
      if (document.edits !== edits || idsOf(failing) !== checks)
        throw new ApiError('precondition_failed', 'The document or its checks have changed since.')
      await updateChecks({ db, ...checking }, scope, failing)
      const text = `${failing.length === 1 ? 'The check expects' : 'The checks expect'} the new text.`
      if (isStopped(document)) await editDocument({ db, queue }, scope, retry, { origin, match: unedited(edits) })
      return { redirect: documentPath(scope.agentId, document.id), flash: { text } }
    })
    .post(`${documentRoute}/warnings/:goldenQuestionId/dismiss`, { permission }, async ({ db, scope }) => {
      const { id } = await findOverview(db, scope)
      await withoutWarnings(scope, [scope.goldenQuestionId], { documentId: id }).execute(db)
      return { redirect: documentPath(scope.agentId, id), flash: { text: 'The warning was dismissed.' } }
    })
}

/** Shows what the checks say against a document's text, and asks which text is right. */
export async function conflictView(trier: Trier, scope: DocumentScope, document: Overview, mayWrite: boolean) {
  const { warnings } = document
  const hasStopped = isStopped(document)
  if (!hasStopped && warnings.length === 0) return undefined
  const { failing, old } = await findConflict(trier, scope, document)
  const address = documentPath(scope.agentId, document.id)
  const dismiss = (id: string, question: string) =>
    mayWrite &&
    html`<form method="post" action="${address}/warnings/${id}/dismiss"><button class="quiet" aria-label="Dismiss: “${question}”">Dismiss</button></form>`
  const actions = mayWrite && actionsView(address, document, failing, old)
  const zone = timeZoneOf(document)
  const of = !hasStopped ? 'served' : document.source_url === null ? 'text' : 'file'
  const ids = idsOf(failing)
  const later = hasStopped ? [] : warnings.filter((each) => !ids.includes(each.golden_question_id))
  return html`${(failing.length > 0 || hasStopped) && brokenView(scope.agentId, failing, { zone, of, actions, each: hasStopped ? undefined : dismiss })}
${later.length > 0 && laterView(scope.agentId, later, zone, dismiss)}`
}

function actionsView(address: string, document: Overview, failing: readonly Failing[], old: number | undefined): Html {
  const { edits, source_url, website } = document
  const hasStopped = isStopped(document)
  const mayUpdate = failing.length > 0 && failing.every(({ as_of }) => as_of === null)
  const form = (path: string, button: Html, more: Html | '' = '') =>
    html`<form method="post" action="${address}/${path}"><input type="hidden" name="edits" value="${edits}">${more}${button}</form>`
  const update = html`<button>${updating(failing, !hasStopped)}</button>`
  return html`${mayUpdate && form('update-checks', update, html`<input type="hidden" name="checks" value="${idsOf(failing)}">`)}
${!mayUpdate && hasStopped && form(`retry${ignoring}`, html`<button>Serve the new text all the same</button>`)}
${old !== undefined && form(`history/${old}/restore`, html`<button class="plain">Keep the old version</button>`)}
${old !== undefined && (source_url ?? website) !== null && html`<p class="hint">The old version is kept as a text ${source_url === null ? 'that no longer changes with its website' : 'without its file'}.</p>`}`
}
