import * as v from 'valibot'
import { deleteChunks, listChunks } from '../../shared/documents/client/chunks.ts'
import { chunkExample, chunkSchema, toChunk } from '../../shared/documents/contract/chunk.ts'
import { removalQuery } from '../../shared/documents/contract/input.ts'
import { idempotencyHeader, idempotentRequest } from '../../shared/http/idempotency.ts'
import { pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import { fitToResponse, requireFitsResponse } from '../../shared/http/payload.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import { createChunks } from './create-chunks.ts'
import { createBody, listQuery, sortKey, toJson } from './schemas.ts'

const collection = '/v1/agents/:agentId/knowledge-base/:documentId/chunks'

export function chunksApp({ repeatWaitSeconds, ...options }: RouterOptions & { repeatWaitSeconds?: number }) {
  return router('Chunks', options)
    .get(
      collection,
      {
        operationId: 'listChunks',
        summary: 'List the chunks of a document',
        description:
          'Ordered by `chunk_index`. A page may have fewer than `limit` chunks if they are large; rely on `has_more`.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('chunks', chunkSchema, chunkExample),
      },
      async ({ c, key, db, scope, query }) => {
        const list = `chunks ${scope.documentId}`
        const [after] = readAfter(key, list, query.cursor, sortKey) ?? []
        const { chunks, hasMore } = await listChunks(db, scope, { ...query, after })
        const data = fitToResponse(chunks.map((chunk) => toChunk(chunk, query.encoding)))
        const more = hasMore || data.length < chunks.length
        return respondPage(c, key, list, data, more ? [data.at(-1)!.chunk_index] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createChunks',
        summary: 'Upload your own chunks',
        description:
          'Stores all chunks or none. The first upload takes over a document that the service manages: search keeps serving the old chunks until you set the status to `completed`. A document can have at most 10,000 chunks. A chunk without an `embedding` is listed, but search never finds it, and a document without any embedding cannot be completed. The sample leaves out `embedding` only because it is so long. While an agent changes its embedding model, upload the same chunks again with the next model’s vectors and its name as `embedding_model`: the agent waits for them.',
        permission: 'kb:write',
        headers: idempotencyHeader,
        body: createBody,
        examples: {
          text: { chunks: [{ content: 'On Sunday we are closed.', chunk_index: 0, metadata: { page: 1 } }] },
        },
        responses: {
          201: {
            description: 'The stored chunks, without embeddings, and the number of chunks of the document',
            schema: v.strictObject({ data: v.array(chunkSchema), chunk_count: v.pipe(v.number(), v.integer()) }),
            example: { data: [chunkExample], chunk_count: 1 },
            headers: ['Idempotency-Replayed'],
          },
        },
        errors: ['chunk_index_conflict'],
      },
      async ({ c, key, db, scope, headers, body }) => {
        requireFitsResponse(body.chunks.map(({ content, metadata }) => [content, metadata]))
        const bodyOf = () => toJson(body)
        const request = idempotentRequest(key, c.req, headers['idempotency-key'], bodyOf, repeatWaitSeconds)
        const { data, chunk_count, replayed } = await createChunks(db, scope, body, key.id, request)
        if (replayed) c.header('idempotency-replayed', 'true')
        return c.json({ data: data.map((chunk) => toChunk(chunk)), chunk_count }, 201)
      },
    )
    .delete(
      collection,
      {
        operationId: 'deleteChunks',
        summary: 'Delete all chunks of a document',
        description:
          'Search no longer finds the document, which then waits for your own chunks, or for a PUT or PATCH of its `content`: even the same text is processed again.',
        permission: 'kb:write',
        query: removalQuery,
        responses: { 204: { description: 'The chunks were deleted' } },
      },
      async ({ c, key, db, scope, query }) => {
        await deleteChunks(db, scope, key.id, query.ignore_golden_questions)
        return c.body(null, 204)
      },
    ).app
}
