import * as v from 'valibot'
import { deleteDocument, getDocument } from '../../shared/documents/client/documents.ts'
import { putDocument } from '../../shared/documents/client/put-document.ts'
import { documentExample, toDocument } from '../../shared/documents/contract/document.ts'
import { deletionQuery, putBody } from '../../shared/documents/contract/input.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { etag, ifMatch, ifNoneMatch } from '../../shared/http/etag.ts'
import type { Router } from '../../shared/http/router.ts'
import type { DocumentId } from '../../shared/ids.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { aDocument, fetched, newExample, removalOf, respondFetched, setCreated } from './respond.ts'
import { getQuery, namedPath } from './schemas.ts'

const one = '/v1/agents/:agentId/knowledge-base/by-external-id/:externalId{[^]+}'

const named = { ...documentExample, external_id: 'opening-hours' }

const putHeaders = v.object({
  ...ifMatch.entries,
  'if-none-match': v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.literal('*', 'must be *'),
      v.description('With `*`, only creates the document: returns 412 if one has this external id.'),
    ),
  ),
})

/** Adds routes that must come before those with a document's id in the same place. */
export function addExternalIdRoutes(routes: Router, queue: Sender) {
  routes
    .get(
      one,
      {
        operationId: 'getDocumentByExternalId',
        summary: 'Get a document by its external id',
        description: 'Works like [get a document](#getDocument).',
        permission: 'kb:read',
        params: namedPath,
        query: getQuery,
        headers: ifNoneMatch,
        responses: fetched(named),
        errors: ['document_not_found', 'payload_too_large'],
      },
      async ({ c, db, scope, query, headers }) => {
        return respondFetched(c, await getDocument(db, scope, headers['if-none-match'], query), query)
      },
    )
    .put(
      one,
      {
        operationId: 'putDocument',
        summary: 'Create or update a document by its external id',
        description:
          'Creates the document, or replaces all its fields: absent ones are reset to their defaults. Repeating the request changes nothing, costs nothing and keeps the `ETag`, even of a document in `error`. It works like [a PATCH](#updateDocument) of the same fields: a file becomes a text, and other `content` replaces chunks of your own. Of two concurrent requests the later one wins; `If-Match` prevents that, and only updates.',
        permission: 'kb:write',
        params: namedPath,
        headers: putHeaders,
        body: putBody,
        examples: {
          text: {
            title: 'Opening hours',
            content: 'We are open Monday to Saturday, 9 to 18. On Sunday we are closed.',
            metadata: { branch: 'north' },
          },
        },
        responses: {
          200: { ...aDocument, description: 'The document, which existed', example: named },
          201: {
            ...aDocument,
            description: 'The document, which is new',
            headers: ['ETag', 'Location'],
            example: { ...newExample, external_id: named.external_id },
          },
        },
        errors: ['golden_questions_fail'],
      },
      async ({ c, db, scope, origin, headers, body: { external_id, ...body } }) => {
        if (external_id !== undefined && external_id !== scope.externalId) rejectOther()
        const condition = { match: headers['if-match'], mustBeNew: headers['if-none-match'] !== undefined }
        const { document, isNew } = await putDocument({ db, queue }, scope, body, origin, condition)
        if (isNew) setCreated(c, document, false)
        else c.header('etag', etag(document))
        return c.json(toDocument(document), isNew ? 201 : 200)
      },
    )
    .delete(
      one,
      {
        operationId: 'deleteDocumentByExternalId',
        summary: 'Delete a document by its external id',
        description: 'Works like [delete a document](#deleteDocument).',
        permission: 'kb:write',
        params: namedPath,
        query: deletionQuery,
        headers: ifMatch,
        responses: { 204: { description: 'It is gone' } },
        errors: ['document_not_found'],
      },
      async ({ c, db, scope, query, headers }) => {
        const { id } = await getDocument(db, scope, [], { exclude: 'content' })
        const found = { ...scope, documentId: id as DocumentId }
        await deleteDocument(db, found, removalOf(query, headers))
        return c.body(null, 204)
      },
    )
}

function rejectOther(): never {
  throw new ApiError('validation_failed', 'See `errors` for each invalid field.', {
    errors: [
      {
        pointer: '/external_id',
        code: 'invalid',
        detail: 'must be the one in the path. There, percent-encode it twice if it holds `?` or `%`',
      },
    ],
  })
}
