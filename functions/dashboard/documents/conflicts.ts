import { type Failing, failingNow, updateChecks } from '../../../shared/checks/decide.ts'
import { type Trier, tryText } from '../../../shared/checks/try-text.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { getRevision, listRevisions } from '../../../shared/documents/client/revisions.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { isError } from '../error-view.ts'
import type { Overview } from './overview.ts'
import { isStopped } from './state.ts'
import { readEditable } from './text/text.ts'

/** Longer texts are only checked in the background. */
const maxBytes = 1024 * 1024

/** The checks that a text would break now. None if they can’t be asked at the moment: the pipeline asks them again. */
export async function brokenBy(trier: Trier, scope: DocumentScope, text: { title: string; content: string }) {
  if (Buffer.byteLength(text.content) > maxBytes) return []
  try {
    return (await tryText(trier, scope, text))?.broken ?? []
  } catch (error) {
    if (error instanceof Unavailable || isError(error, 'rate_limited')) return []
    throw error
  }
}

/** The checks that stop the text before it is stored; none after `isUpdating` has made them expect it. */
export async function stoppedBy(
  trier: Trier,
  scope: DocumentScope,
  text: { title: string; content: string },
  isUpdating: boolean,
): Promise<Failing[]> {
  const failing = (await brokenBy(trier, scope, text)).filter(({ blocks, as_of }) => blocks && as_of === null)
  if (!isUpdating) return failing
  await updateChecks(trier, scope, failing)
  return []
}

/** What the checks say against a document’s text, and the revision to go back to, if its text is kept. */
export async function findConflict(trier: Trier, scope: DocumentScope, document: Overview) {
  const { revisions } = await listRevisions(trier.db, scope, { limit: 2 })
  const hasStopped = isStopped(document)
  const old = revisions.find(({ is_served, bytes }) => is_served === hasStopped && bytes !== null)?.revision
  if (!hasStopped) {
    const earlier = old === undefined ? null : (await getRevision(trier.db, scope, old)).content
    const warned = document.warnings.flatMap(({ golden_question_id, as_of }) => (as_of ? [] : golden_question_id))
    const failing = await failingNow(trier.db, scope, { ...document, ...trier, warned, earlier: earlier ?? '' })
    return { old, failing }
  }
  const { title, content } = await readEditable(trier.db, scope)
  return { old, failing: content === null ? [] : await brokenBy(trier, scope, { title, content }) }
}
