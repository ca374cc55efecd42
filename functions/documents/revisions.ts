import { getRevision, listRevisions, restoreRevision } from '../../shared/documents/client/revisions.ts'
import { documentExample } from '../../shared/documents/contract/document.ts'
import { ifMatch } from '../../shared/http/etag.ts'
import { listQuery, pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import type { Router } from '../../shared/http/router.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { aDocument, respondDocument } from './respond.ts'
import {
  listedRevision,
  revisionExample,
  revisionSchema,
  revisionSortKey,
  toListedRevision,
  toRevision,
} from './schemas.ts'

const collection = '/v1/agents/:agentId/knowledge-base/:documentId/revisions'
const { content: _, ...listedExample } = revisionExample

export function addRevisionRoutes(routes: Router, queue: Sender) {
  routes
    .get(
      collection,
      {
        operationId: 'listRevisions',
        summary: 'List the revisions of a document',
        description:
          'Lists the revisions that search served, newest first: the current one, if search serves it, and the 20 before it, each for a year after it was replaced. An organization can turn this off in the dashboard.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('revisions, without their contents', listedRevision, listedExample),
      },
      async ({ c, key, db, scope, query: { limit, cursor } }) => {
        const list = `revisions ${scope.documentId}`
        const [after] = readAfter(key, list, cursor, revisionSortKey) ?? []
        const { revisions, hasMore } = await listRevisions(db, scope, { limit, after })
        const last = hasMore ? [revisions.at(-1)!.revision] : undefined
        return respondPage(c, key, list, revisions.map(toListedRevision), last)
      },
    )
    .get(
      `${collection}/:revision`,
      {
        operationId: 'getRevision',
        summary: 'Get a revision of a document',
        description:
          'Returns the revision as search served it. Revisions that only processed the same content again are returned as the last of them.',
        permission: 'kb:read',
        responses: { 200: { description: 'The revision', schema: revisionSchema, example: revisionExample } },
        errors: ['payload_too_large'],
      },
      async ({ c, db, scope }) => c.json(toRevision(await getRevision(db, scope, scope.revision))),
    )
    .post(
      `${collection}/:revision/restore`,
      {
        operationId: 'restoreRevision',
        summary: 'Restore a revision of a document',
        description:
          'Gives the document the revision’s content again, in a new revision, as a PATCH of `content` does. Unchanged chunks are not embedded again, the title stays, and a file becomes a text. Nothing changes if the document has that content. The texts of your own chunks are not kept, so such a revision returns 409 `invalid_transition`.',
        permission: 'kb:write',
        headers: ifMatch,
        responses: { 200: { ...aDocument, example: { ...documentExample, status: 'pending' } } },
        errors: ['payload_too_large', 'invalid_transition'],
      },
      async ({ c, db, scope, origin, headers }) => {
        const document = await restoreRevision({ db, queue }, scope, scope.revision, origin, headers['if-match'])
        return respondDocument(c, document)
      },
    )
}
