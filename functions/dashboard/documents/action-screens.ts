import { Hono } from 'hono'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { deleteDocument } from '../../../shared/documents/documents.ts'
import { updateDocument } from '../../../shared/documents/update-document.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import type { Tags } from '../../../shared/http/etag.ts'
import { documentPath } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { Sender } from '../../../shared/queue.ts'
import { type Screen, valid } from '../screen.ts'
import { words } from '../words.ts'
import { deleteView } from './delete-view.ts'
import { editsField, isError, unedited } from './edits.ts'
import { findOverview } from './overview.ts'
import { documentPagePath, placeOf } from './place.ts'

export function actionScreens(screen: Screen, queue: Sender) {
  return new Hono<ApiEnv>()
    .post(
      `${documentPagePath}/retry`,
      screen({ permission: 'kb:write', params: documentPath }, async ({ c, db, session, params, isPartial, may }) => {
        const scope = { organizationId: session.organizationId, ...params }
        const origin = { requestId: c.get('requestId'), apiKeyId: session.id }
        try {
          await updateDocument({ db, queue }, scope, { status: 'pending' }, origin)
        } catch (error) {
          // Somebody else has retried it or removed its content: the document's page shows that.
          if (!isError(error, 'processing_in_progress') && !isError(error, 'invalid_transition')) throw error
        }
        if (!isPartial) return { redirect: `${placeOf(params, may).base}/${params.documentId}` }
        c.header('hx-trigger', 'documents-changed')
        return c.body(null, 204)
      }),
    )
    .get(
      `${documentPagePath}/delete`,
      screen({ permission: 'kb:write', params: documentPath }, async ({ db, session, params, may }) => {
        const scope = { organizationId: session.organizationId, ...params }
        const [agent, document] = await Promise.all([getAgent(db, scope), findOverview(db, scope)])
        const { base } = placeOf(params, may)
        return {
          title: words.documents.delete.heading(document.title),
          place: 'agents',
          agent: { id: agent.id, name: agent.name, tab: 'documents' },
          crumbs: [[document.title, `${base}/${document.id}`]],
          content: deleteView(base, document),
        }
      }),
    )
    .post(
      `${documentPagePath}/delete`,
      screen(
        { permission: 'kb:write', params: documentPath, form: v.object({ edits: v.optional(editsField) }) },
        async ({ c, db, session, params, form, isPartial, may }) => {
          const scope = { organizationId: session.organizationId, ...params }
          const match = unedited(valid(form).edits)
          if (isPartial) return c.body(null, (await isDeleted(db, scope, match)) ? 204 : 409)
          const { base } = placeOf(params, may)
          const { title } = await findOverview(db, scope)
          const w = words.documents.delete
          return (await isDeleted(db, scope, match))
            ? { redirect: base, flash: { text: w.done(title) } }
            : { redirect: `${base}/${params.documentId}`, flash: { text: w.changed(title), isError: true } }
        },
      ),
    )
}

/** False if somebody has edited it since; true if it is already deleted. */
async function isDeleted(db: Database, scope: DocumentScope, match: Tags): Promise<boolean> {
  try {
    await deleteDocument(db, scope, match)
  } catch (error) {
    if (isError(error, 'precondition_failed')) return false
    if (!isError(error, 'document_not_found')) throw error
  }
  return true
}
