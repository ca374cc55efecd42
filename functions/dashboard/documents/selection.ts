import * as v from 'valibot'
import { deleteDocument } from '../../../shared/documents/client/documents.ts'
import { type DocumentId, documentId } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import { isError } from '../error-view.ts'
import { agentPage } from '../layout.ts'
import { documentsRoute } from '../paths.ts'
import { type Screens, valid } from '../screen.ts'
import { counted } from '../sentences.ts'
import { undoing } from '../trash.ts'
import { editsField, unedited } from './edits.ts'
import { findOverviews } from './overview.ts'

const maxSelected = 100
/** Documents not reached by then stay unchanged, so that the answer comes before the Lambda's time-out. */
const workMilliseconds = 20_000

/** Each document's id, and its number of edits when the list was loaded. */
const chosen = v.object({
  document: v.pipe(
    v.optional(v.union([v.array(v.string()), v.string()]), []),
    v.transform((sent) => [sent].flat().map((text) => text.split('.'))),
    v.array(v.strictTuple([documentId, editsField])),
    v.maxLength(maxSelected),
  ),
})

/** Deletes the selected documents that nobody has edited since, and names those left unchanged. */
export function addSelectionRoute(screens: Screens) {
  const route = { permission: 'kb:write', form: chosen } as const
  screens.post(`${documentsRoute}/selected`, route, async ({ db, scope, form }) => {
    await getAgent(db, scope)
    const edits = new Map<string, number>(valid(form).document)
    const started = performance.now()
    const done: string[] = []
    const left: { title: string; reason: string }[] = []
    for (const { id, title } of await findOverviews(db, scope, [...edits.keys()])) {
      const place = { ...scope, documentId: id as DocumentId }
      try {
        if (performance.now() - started > workMilliseconds) left.push({ title, reason: 'it would have taken too long' })
        else {
          await deleteDocument(db, place, { match: unedited(edits.get(id)), toTrash: true })
          done.push(id)
        }
      } catch (error) {
        left.push({ title, reason: reasonOf(error) })
      }
    }
    const said = `${counted(done.length, 'document')} ${done.length === 1 ? 'is' : 'are'} in the trash.`
    const kept = [...Map.groupBy(left, ({ reason }) => reason)].map(
      ([reason, all]) => `Not changed, because ${reason}: ${all.map(({ title }) => `“${title}”`).join(', ')}.`,
    )
    const undo = done.length > 0 ? undoing(scope.agentId, 'document', done) : undefined
    const flash = { text: [said, ...kept].join(' '), isError: left.length > 0, undo }
    return { redirect: agentPage(scope.agentId, 'documents'), flash }
  })
}

/** @throws any error that isn't about this document */
function reasonOf(error: unknown): string {
  if (isError(error, 'golden_questions_fail')) return 'checks would fail'
  const changed = ['precondition_failed', 'document_not_found'] as const
  if (changed.some((code) => isError(error, code))) return 'somebody else has changed or deleted it'
  throw error
}
