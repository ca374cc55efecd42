import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { chunkColumns, toChunk } from '../../../shared/documents/chunk.ts'
import { chunkMetadata, isServed } from '../../../shared/documents/served-chunks.ts'
import { pageBytes } from '../../../shared/http/payload.ts'
import type { OrganizationId } from '../../../shared/ids.ts'

const rowsPerPage = 1000
/** As Postgres writes a `halfvec(1536)`, at most. */
const embeddingBytes = 20_000

export async function agentsAfter(db: Database, id: OrganizationId, last: { id: string } | undefined) {
  return await db
    .selectFrom('agents')
    .select(['id', 'name', 'knowledge_base_enabled', 'document_count', 'ready_document_count', 'created_at'])
    .where('organization_id', '=', id)
    .$if(last !== undefined, (query) => query.where('id', '>', last!.id))
    .orderBy('id')
    .limit(rowsPerPage)
    .execute()
}

/** What there is to know of keys: not the keys, which nobody has, nor their hashes. */
export async function keysAfter(db: Database, id: OrganizationId, last: { id: string } | undefined) {
  return await db
    .selectFrom('api_keys')
    .select(['id', 'name', 'permissions', 'expires_at', 'revoked_at', 'created_by', 'created_at'])
    .where('organization_id', '=', id)
    .$if(last !== undefined, (query) => query.where('id', '>', last!.id))
    .orderBy('id')
    .limit(rowsPerPage)
    .execute()
}

/** Whether there is one; not the secret. */
export async function signingSecretsAfter(
  db: Database,
  id: OrganizationId,
  last: { agent_id: string; platform: string } | undefined,
) {
  return await db
    .selectFrom('signing_secrets')
    .select(['agent_id', 'platform', 'created_at'])
    .where('organization_id', '=', id)
    .$if(last !== undefined, (query) =>
      query.where(sql<boolean>`(agent_id, platform) > (${last!.agent_id}::uuid, ${last!.platform}::text)`),
    )
    .orderBy('agent_id')
    .orderBy('platform')
    .limit(rowsPerPage)
    .execute()
}

export async function callsAfter(db: Database, id: OrganizationId, last: { id: string } | undefined) {
  return await db
    .selectFrom('calls')
    .select(['id', 'agent_id', 'done_at', 'deleted_at', 'created_at'])
    .where('organization_id', '=', id)
    .$if(last !== undefined, (query) => query.where('id', '>', last!.id))
    .orderBy('id')
    .limit(rowsPerPage)
    .execute()
}

export async function questionsAfter(
  db: Database,
  id: OrganizationId,
  last: { agent_id: string; id: string } | undefined,
) {
  return await db
    .selectFrom('question_log')
    .select(['agent_id', 'id', 'question', 'mode', 'is_degraded', 'hits', 'best_score', 'asked_at'])
    .where('organization_id', '=', id)
    .$if(last !== undefined, (query) =>
      query.where(sql<boolean>`(agent_id, id) > (${last!.agent_id}::uuid, ${last!.id}::uuid)`),
    )
    .orderBy('agent_id')
    .orderBy('id')
    .limit(rowsPerPage)
    .execute()
}

/** Large contents shorten a page, to one document at least. */
export async function documentsAfter(db: Database, id: OrganizationId, last: { id: string } | undefined) {
  const sized = db
    .selectFrom('documents')
    .select('id')
    .select(({ fn }) => [
      fn
        .agg<number>('row_number')
        .over((over) => over.orderBy('id'))
        .as('position'),
      fn
        .sum<number>(sql`coalesce(octet_length(content), 0) + coalesce(octet_length(extracted_text), 0)`)
        .over((over) => over.orderBy('id'))
        .as('bytes'),
    ])
    .where('organization_id', '=', id)
    .$if(last !== undefined, (query) => query.where('id', '>', last!.id))
    .orderBy('id')
    .limit(rowsPerPage)
  return await db
    .selectFrom(sized.as('sized'))
    .innerJoin('documents as d', (join) => join.onRef('d.id', '=', 'sized.id').on('d.organization_id', '=', id))
    .select(['d.id', 'd.agent_id', 'd.title', 'd.content', 'd.extracted_text', 'd.source_type', 'd.source_url'])
    .select([
      'd.file_bytes',
      'd.status',
      'd.managed_by',
      'd.revision',
      'd.active_revision',
      'd.error_message',
      'd.created_at',
      'd.updated_at',
    ])
    .where((eb) => eb.or([eb('sized.position', '=', 1), eb('sized.bytes', '<=', pageBytes)]))
    .orderBy('d.id')
    .execute()
}

type ChunkKey = { document_id: string; revision: number; chunk_index: number }

/** Of all revisions, those of a draft or of one in progress included. Embeddings are base64 of little-endian 32-bit floats. */
export function chunksAfter(withEmbeddings: boolean) {
  return async (db: Database, id: OrganizationId, last: ChunkKey | undefined) => {
    const key = sql`(c.document_id, c.revision, c.chunk_index)`
    const sized = db
      .selectFrom('chunks as c')
      .select(['c.document_id', 'c.revision', 'c.chunk_index'])
      .select(({ fn }) => [
        fn
          .agg<number>('row_number')
          .over((over) => over.orderBy('c.document_id').orderBy('c.revision').orderBy('c.chunk_index'))
          .as('position'),
        fn
          .sum<number>(
            sql`octet_length(c.content) + octet_length(c.metadata::text) + ${withEmbeddings ? embeddingBytes : 0}::int`,
          )
          .over((over) => over.orderBy('c.document_id').orderBy('c.revision').orderBy('c.chunk_index'))
          .as('bytes'),
      ])
      .where('c.organization_id', '=', id)
      .$if(last !== undefined, (query) =>
        query.where(
          sql<boolean>`${key} > (${last!.document_id}::uuid, ${last!.revision}::int, ${last!.chunk_index}::int)`,
        ),
      )
      .orderBy('c.document_id')
      .orderBy('c.revision')
      .orderBy('c.chunk_index')
      .limit(rowsPerPage)
    const rows = await db
      .selectFrom(sized.as('sized'))
      .innerJoin('chunks as c', (join) =>
        join
          .on('c.organization_id', '=', id)
          .onRef('c.document_id', '=', 'sized.document_id')
          .onRef('c.revision', '=', 'sized.revision')
          .onRef('c.chunk_index', '=', 'sized.chunk_index'),
      )
      .innerJoin('documents as d', (join) => join.on('d.organization_id', '=', id).onRef('d.id', '=', 'c.document_id'))
      .select(chunkColumns.filter((column) => column !== 'metadata').map((column) => `c.${column}` as const))
      .select([chunkMetadata.as('metadata'), 'c.revision', isServed.as('is_served')])
      .$if(withEmbeddings, (query) =>
        query
          .leftJoin('vectors as v', (join) =>
            join
              .on('v.organization_id', '=', id)
              .onRef('v.document_id', '=', 'c.document_id')
              .onRef('v.id', '=', 'c.vector_id'),
          )
          .select(['v.embedding', 'v.exponent']),
      )
      .where((eb) => eb.or([eb('sized.position', '=', 1), eb('sized.bytes', '<=', pageBytes)]))
      .orderBy('c.document_id')
      .orderBy('c.revision')
      .orderBy('c.chunk_index')
      .execute()
    return rows.map((row) => ({
      ...toChunk(row, 'base64'),
      revision: row.revision,
      is_served: row.is_served ?? false,
    }))
  }
}
