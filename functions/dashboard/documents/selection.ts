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

/** Each document's id, and its number of edits when the list was loaded. */
const chosen = v.object({
  document: v.pipe(
    v.optional(v.union([v.array(v.string()), v.string()]), []),
    v.transform((sent) => [sent].flat().map((text) => text.split('.'))),
    v.array(v.strictTuple([documentId, editsField])),
    v.maxLength(maxSelected),
  ),
})

/** The errors of one document, which leave it and delete the others. */
const left = ['golden_questions_fail', 'precondition_failed', 'document_not_found'] as const

/** Deletes the selected documents that nobody has edited since, and names those that stay. */
export function addSelectionRoute(screens: Screens) {
  screens.post(`${documentsRoute}/selected`, { permission: 'kb:write', form: chosen }, async ({ db, scope, form }) => {
    await getAgent(db, scope)
    const edits = new Map<string, number>(valid(form).document)
    const done: string[] = []
    const staying: string[] = []
    for (const { id, title } of await findOverviews(db, scope, [...edits.keys()]))
      try {
        const removal = { match: unedited(edits.get(id)), toTrash: true }
        await deleteDocument(db, { ...scope, documentId: id as DocumentId }, removal)
        done.push(id)
      } catch (error) {
        if (!left.some((code) => isError(error, code))) throw error
        staying.push(
          `“${title}”, which ${isError(error, 'golden_questions_fail') ? 'a check expects' : 'somebody has changed'}`,
        )
      }
    const said = `${counted(done.length, 'document')} ${done.length === 1 ? 'is' : 'are'} in the trash.`
    const hint = `Not deleted: ${staying.join('; ')}.`
    const undo = done.length > 0 ? undoing(scope.agentId, 'document', done) : undefined
    const flash = { text: staying.length > 0 ? `${said} ${hint}` : said, isError: staying.length > 0, undo }
    return { redirect: agentPage(scope.agentId, 'documents'), flash }
  })
}
