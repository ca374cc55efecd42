import type { Context } from 'hono'
import { html } from 'hono/html'
import { sql } from 'kysely'
import * as v from 'valibot'
import { isDocument } from '../../../shared/database/scope.ts'
import { listChunks } from '../../../shared/documents/client/chunks.ts'
import { deleteDocument } from '../../../shared/documents/client/documents.ts'
import { editDocument } from '../../../shared/documents/client/edit-document.ts'
import { retry } from '../../../shared/documents/client/edits.ts'
import { fileNameOfKey, keyOfUrl } from '../../../shared/files/file-url.ts'
import type { Presigner } from '../../../shared/files/presigner.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import { isError } from '../error-view.ts'
import { agentPage } from '../layout.ts'
import { documentPath, documentRoute } from '../paths.ts'
import { isIgnoring } from '../refused-change.ts'
import { type Screens, valid } from '../screen.ts'
import { undoing } from '../trash.ts'
import { type Checking, conflictView } from './conflict-screens.ts'
import { documentActions, documentView, passagesPerPage } from './document-view.ts'
import { editsField, unedited } from './edits.ts'
import { originalOf, pictureView } from './original.ts'
import { findOverview, tagOf } from './overview.ts'
import { mayReplaceFile, needsFile } from './state.ts'
import { readBeside } from './text/text.ts'
import { uploadView } from './upload.ts'
import { comparisonView } from './version.ts'

const number = v.pipe(v.string(), v.regex(/^\d{1,7}$/), v.transform(Number), v.minValue(1))
const reading = { permission: 'kb:read', tab: 'documents' } as const
const writing = { permission: 'kb:write' } as const
const deleted = v.object({ edits: v.optional(editsField) })
const dropped = v.object({ index: v.pipe(v.string(), v.regex(/^\d{1,6}$/), v.transform(Number)), edits: editsField })
const documentQuery = v.object({
  from: v.fallback(v.optional(number), undefined),
  /** The number of the passage to show. */
  passage: v.fallback(v.optional(number), undefined),
  seen: v.optional(v.string()),
  /** Shows the area for another file. */
  replace: v.optional(v.string()),
})

export function addDocumentScreens(
  screens: Screens,
  queue: Sender,
  presigner: Pick<Presigner, 'presignGet'>,
  checking: Checking,
) {
  screens
    .get(documentRoute, reading, async ({ c, db, meter, scope, isPartial, may }) => {
      const { seen, replace, passage, from = firstOfPage(passage ?? 1) } = v.parse(documentQuery, c.req.query())
      const [document, { chunks, hasMore }] = await Promise.all([
        findOverview(db, scope),
        listChunks(db, scope, { limit: passagesPerPage, after: from - 2 }),
      ])
      if (isPartial && seen === tagOf(document)) return c.body(null, 204)
      const beside = await readBeside(db, scope, chunks.length > 0)
      const place = { agentId: scope.agentId, base: agentPage(scope.agentId, 'documents'), mayWrite: may('kb:write') }
      const takesFile = needsFile(document) !== undefined || (replace !== undefined && mayReplaceFile(document))
      const hasUpload = place.mayWrite && !isPartial && takesFile
      const comparison = document.changes && (await comparisonView(db, scope, document.changes))
      const conflict = await conflictView({ db, ...checking, ...meter }, scope, document, place.mayWrite)
      const shown = { ...place, ...beside, comparison, conflict, document, chunks, hasMore, from, hasUpload }
      if (isPartial) return { fragment: documentView(shown) }
      const isPicture = !hasUpload && originalOf(document) === 'picture'
      return {
        title: document.title,
        crumbs: [],
        actions: documentActions(shown),
        content: html`${hasUpload && uploadView(place.base, document.id)}
${isPicture ? html`<div class="versions">${documentView(shown)}${pictureView(place.base, document)}</div>` : documentView(shown)}`,
        modules: hasUpload ? ['upload.js'] : [],
      }
    })
    .get(`${documentRoute}/file`, reading, async ({ c, db, scope }) => {
      const { source_url } = await findOverview(db, scope)
      if (source_url === null) throw new ApiError('document_not_found', 'The document has no file.')
      const key = keyOfUrl(source_url)
      return c.redirect(presigner.presignGet(key, fileNameOfKey(key)))
    })
    .post(`${documentRoute}/retry`, writing, async ({ c, db, scope, isPartial, origin }) => {
      try {
        await editDocument({ db, queue }, scope, retry, { origin, ignores: isIgnoring(c) })
      } catch (error) {
        // Somebody else has retried it or removed its content, and its page shows that.
        if (!isError(error, 'processing_in_progress') && !isError(error, 'invalid_transition')) throw error
      }
      if (!isPartial) return { redirect: documentPath(scope.agentId, scope.documentId) }
      c.header('hx-trigger', 'documents-changed')
      return c.body(null, 204)
    })
    .post(`${documentRoute}/drop-correction`, { ...writing, form: dropped }, async ({ db, scope, form }) => {
      const { id } = await findOverview(db, scope)
      const { index, edits } = valid(form)
      const { numUpdatedRows } = await db
        .updateTable('documents as d')
        .set({ corrections: sql<string>`d.corrections - ${index}::int` })
        .where(isDocument(scope))
        .where('d.edits', '=', edits)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) throw new ApiError('precondition_failed', 'The document has changed since.')
      return { redirect: documentPath(scope.agentId, id), flash: { text: 'The correction was dropped.' } }
    })
    .post(`${documentRoute}/delete`, { ...writing, form: deleted }, async ({ c, db, scope, form, isPartial }) => {
      const base = agentPage(scope.agentId, 'documents')
      const removal = { match: unedited(valid(form).edits), ignores: isIgnoring(c), toTrash: !isPartial }
      const removed = isPartial ? undefined : await findOverview(db, scope)
      try {
        await deleteDocument(db, scope, removal)
      } catch (error) {
        if (!isError(error, 'document_not_found')) throw error
      }
      // upload.js deletes the document of a cancelled upload.
      if (isPartial) return c.body(null, 204)
      const undo = undoing(scope.agentId, 'document', [scope.documentId])
      const text = removed?.changes
        ? 'The old version stays. The new file is in the trash.'
        : `“${removed?.title}” is in the trash.`
      return { redirect: cameFrom(c, base), flash: { text, undo } }
    })
}

function firstOfPage(passage: number): number {
  return passage - ((passage - 1) % passagesPerPage)
}

/** The list's address, with its filters if the request comes from the list. */
function cameFrom(c: Context, list: string): string {
  const from = URL.parse(c.req.header('referer') ?? '')
  return from?.pathname === list ? list + from.search : list
}
