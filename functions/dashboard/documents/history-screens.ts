import * as v from 'valibot'
import { maxContentBytes } from '../../../shared/documents/max-content-bytes.ts'
import { getRevision, listRevisions, restoreRevision } from '../../../shared/documents/revisions.ts'
import { documentPath, revisionPath } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { Sender } from '../../../shared/queue.ts'
import { isError } from '../error-view.ts'
import { type Screens, valid } from '../screen.ts'
import { words } from '../words.ts'
import { editsField, unedited } from './edits.ts'
import { listView, revisionView } from './history/view.ts'
import { findOverview } from './overview.ts'
import { documentPagePath, placeOf } from './place.ts'
import { readEditable } from './text/text.ts'

const path = `${documentPagePath}/history`

export function addHistoryScreens(screens: Screens, queue: Sender) {
  screens
    .get(path, { permission: 'kb:read', params: documentPath }, async ({ db, scope, may }) => {
      const [agent, document, { revisions }] = await Promise.all([
        getAgent(db, scope),
        findOverview(db, scope),
        listRevisions(db, scope, { limit: 100 }),
      ])
      const address = `${placeOf(scope, may).base}/${document.id}`
      return {
        title: `History of “${document.title}”`,
        agent: { ...agent, tab: 'documents' },
        crumbs: [[document.title, address]],
        content: listView(revisions, address),
      }
    })
    .get(`${path}/:revision`, { permission: 'kb:read', params: revisionPath }, async ({ db, scope, may }) => {
      const [agent, document, revision] = await Promise.all([
        getAgent(db, scope),
        readEditable(db, scope, maxContentBytes),
        getRevision(db, scope, scope.revision),
      ])
      const { base, mayWrite } = placeOf(scope, may)
      const address = `${base}/${scope.documentId}`
      return {
        title: revision.is_served ? 'Text served now' : 'Earlier text',
        agent: { ...agent, tab: 'documents' },
        crumbs: [
          [document.title, address],
          ['History', `${address}/history`],
        ],
        content: revisionView(revision, document, address, mayWrite),
      }
    })
    .post(
      `${path}/:revision/restore`,

      { permission: 'kb:write', params: revisionPath, form: v.object({ edits: v.optional(editsField) }) },
      async ({ db, scope, form, may, origin }) => {
        const address = `${placeOf(scope, may).base}/${scope.documentId}`
        const refused = (text: string) => ({
          redirect: `${address}/history/${scope.revision}`,
          flash: { text, isError: true },
        })
        try {
          const match = unedited(valid(form).edits)
          const { title } = await restoreRevision({ db, queue }, scope, scope.revision, origin, match)
          return { redirect: address, flash: { text: `“${title}” has its earlier text again.` } }
        } catch (error) {
          if (isError(error, 'precondition_failed'))
            return refused(
              'Nothing was restored: somebody has changed the document in the meantime. Check what would change now.',
            )
          if (isError(error, 'rate_limited')) return refused(words.documents.busy)
          throw error
        }
      },
    )
}
