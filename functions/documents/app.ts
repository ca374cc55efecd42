import { createDocument, createDocuments } from '../../shared/documents/client/create-document.ts'
import { deleteDocument, getDocument, listDocuments } from '../../shared/documents/client/documents.ts'
import { editDocument } from '../../shared/documents/client/edit-document.ts'
import { edit } from '../../shared/documents/client/edits.ts'
import { restoreDocument } from '../../shared/documents/client/trash.ts'
import { documentExample, toDocument } from '../../shared/documents/contract/document.ts'
import {
  batchBody,
  createBody,
  deletionQuery,
  restorationQuery,
  updateBody,
} from '../../shared/documents/contract/input.ts'
import type { Presigner } from '../../shared/files/presigner.ts'
import { api, onlyPost } from '../../shared/http/api.ts'
import { ifMatch, ifNoneMatch } from '../../shared/http/etag.ts'
import { idempotencyHeader, idempotentRequest } from '../../shared/http/idempotency.ts'
import { pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import { fitToResponse, requireFitsResponse } from '../../shared/http/payload.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { addExternalIdRoutes } from './external-ids.ts'
import { addFileRoutes } from './files.ts'
import {
  aDocument,
  creationErrors,
  fetched,
  newExample,
  removalOf,
  respondDocument,
  respondFetched,
  setCreated,
} from './respond.ts'
import { addRevisionRoutes } from './revisions.ts'
import { createdDocuments, fetchedDocument, getQuery, listQuery, sortKey, toFetched } from './schemas.ts'

const collection = '/v1/agents/:agentId/knowledge-base'
const batch = `${collection}/batch`
const one = `${collection}/:documentId`

interface Dependencies extends RouterOptions {
  queue: Sender
  presigner: Presigner
  repeatWaitSeconds?: number
}

export function documentsApp({ queue, presigner, repeatWaitSeconds, ...options }: Dependencies) {
  const app = api().use(batch, onlyPost).use(`${collection}/files`, onlyPost)
  const routes = router('Documents', options, app)
  routes
    .get(
      collection,
      {
        operationId: 'listDocuments',
        summary: 'List documents',
        description:
          'Newest first. A page may have fewer than `limit` documents if their contents are large, except with `exclude=content`; rely on `has_more`.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('documents', fetchedDocument, documentExample),
      },
      async ({ c, key, db, scope, query }) => {
        const { limit, cursor, exclude, ...filters } = query
        const list = `documents ${scope.agentId} ${JSON.stringify(filters)}`
        const after = readAfter(key, list, cursor, sortKey)
        const { documents, hasMore } = await listDocuments(db, scope, { ...filters, limit, exclude, after })
        const data = fitToResponse(documents.map((document) => toFetched(document, query)))
        const last = data.at(-1)
        const more = hasMore || data.length < documents.length
        return respondPage(c, key, list, data, more && last ? [last.created_at, last.id] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createDocument',
        summary: 'Create a document',
        description:
          'Its content is chunked and embedded in the background: poll its status until `completed`. Without `content` it waits for chunks of your own. With `valid_from` and `valid_until`, search serves it only for a while. An agent may have 10,000 documents. If the document was deleted, a repeat with the same `Idempotency-Key` returns 404 `document_not_found` and does not create it again.',
        permission: 'kb:write',
        headers: idempotencyHeader,
        body: createBody,
        examples: {
          text: {
            title: 'Opening hours',
            content: 'We are open Monday to Saturday, 9 to 18. On Sunday we are closed.',
          },
        },
        responses: {
          201: { ...aDocument, example: newExample, headers: ['ETag', 'Location', 'Idempotency-Replayed'] },
        },
        errors: creationErrors,
      },
      async ({ c, key, db, scope, origin, headers, body }) => {
        const request = idempotentRequest(key, c.req, headers['idempotency-key'], () => body, repeatWaitSeconds)
        const { document, replayed } = await createDocument({ db, queue }, scope, body, origin, request)
        setCreated(c, document, replayed)
        return c.json(toDocument(document), 201)
      },
    )
    .post(
      batch,
      {
        operationId: 'createDocuments',
        summary: 'Create several documents',
        description:
          'Creates all of 1 to 100 documents or none, each as [create a document](#createDocument) does. The limits hold for all together. If one of the documents was deleted, a repeat with the same `Idempotency-Key` returns 404 `document_not_found` and creates nothing.',
        permission: 'kb:write',
        headers: idempotencyHeader,
        body: batchBody,
        examples: {
          texts: {
            documents: [
              {
                title: 'Opening hours',
                content: 'We are open Monday to Saturday, 9 to 18. On Sunday we are closed.',
              },
            ],
          },
        },
        responses: {
          201: {
            description: 'The documents, in the order of the request',
            schema: createdDocuments,
            example: { data: [newExample] },
            headers: ['Idempotency-Replayed'],
          },
        },
        errors: creationErrors,
      },
      async ({ c, key, db, scope, origin, headers, body }) => {
        requireFitsResponse(body.documents)
        const request = idempotentRequest(key, c.req, headers['idempotency-key'], () => body, repeatWaitSeconds)
        const created = await createDocuments({ db, queue }, scope, body.documents, origin, request)
        if (created.replayed) c.header('idempotency-replayed', 'true')
        return c.json({ data: created.documents.map(toDocument) }, 201)
      },
    )
  addExternalIdRoutes(routes, queue)
  routes
    .get(
      one,
      {
        operationId: 'getDocument',
        summary: 'Get a document',
        description:
          'The `ETag` is the same with and without `exclude=content`: 304 says that the document has not changed, for both forms.',
        permission: 'kb:read',
        query: getQuery,
        headers: ifNoneMatch,
        responses: fetched(documentExample),
        errors: ['payload_too_large'],
      },
      async ({ c, db, scope, query, headers }) => {
        return respondFetched(c, await getDocument(db, scope, headers['if-none-match'], query), query)
      },
    )
    .patch(
      one,
      {
        operationId: 'updateDocument',
        summary: 'Update a document',
        description:
          'Other `content` is chunked and embedded again while search keeps serving the old chunks. `status: "pending"` processes the content again; `status: "completed"` puts uploaded chunks into service. For a file’s document, `status: "pending"` extracts the text again, and `content` turns it into a text and deletes the file. `valid_from` and `valid_until` change when search serves the document, at once and without processing; null removes a limit.',
        permission: 'kb:write',
        headers: ifMatch,
        body: updateBody,
        examples: {
          title: { title: 'Opening hours in summer' },
          content: { content: 'In July and August we open at 8.' },
          complete: { status: 'completed' },
          dates: { valid_from: '2026-12-20T00:00:00+01:00', valid_until: '2027-01-07T00:00:00+01:00' },
        },
        responses: { 200: { ...aDocument, example: { ...documentExample, title: 'Opening hours in summer' } } },
        errors: [
          'external_id_conflict',
          'invalid_transition',
          'processing_in_progress',
          'no_chunks',
          'chunks_missing_embeddings',
          'golden_questions_fail',
        ],
      },
      async ({ c, db, scope, origin, headers, body }) => {
        const { document } = await editDocument({ db, queue }, scope, edit(body), {
          origin,
          match: headers['if-match'],
          ignores: body.ignore_golden_questions,
        })
        return respondDocument(c, document)
      },
    )
    .delete(
      one,
      {
        operationId: 'deleteDocument',
        summary: 'Delete a document',
        description:
          'Deletes the document with its chunks and embeddings, and ends its processing. With `trash=true` it goes into the trash: search no longer finds it, and it can be [restored](#restoreDocument) for 30 days. If an agent has more than 10,000 documents in the trash, the oldest are deleted for good.',
        permission: 'kb:write',
        query: deletionQuery,
        headers: ifMatch,
        responses: { 204: { description: 'It is gone' } },
      },
      async ({ c, db, scope, query, headers }) => {
        await deleteDocument(db, scope, removalOf(query, headers))
        return c.body(null, 204)
      },
    )
    .post(
      `${one}/restore`,
      {
        operationId: 'restoreDocument',
        summary: 'Restore a document',
        description:
          'Brings a document back from the trash as it was. Search serves the same revision again at once, and the service finishes the processing of one that was not done. A page whose source is gone becomes a document of your own. A document that is not in the trash stays as it is.',
        permission: 'kb:write',
        query: restorationQuery,
        responses: { 200: aDocument },
        errors: ['external_id_conflict', 'rate_limited', 'validation_failed'],
      },
      async ({ c, db, scope, origin, query: { ignore_golden_questions: ignores } }) => {
        return respondDocument(c, await restoreDocument({ db, queue }, scope, origin, ignores))
      },
    )
  addRevisionRoutes(routes, queue)
  addFileRoutes(routes, queue, presigner, repeatWaitSeconds)
  return app
}
