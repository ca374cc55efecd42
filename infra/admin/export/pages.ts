import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { type ChunkRow, toChunk } from '../../../shared/documents/chunk.ts'
import { chunkMetadata, isServed } from '../../../shared/documents/served-chunks.ts'
import { pageBytes } from '../../../shared/http/payload.ts'
import type { OrganizationId } from '../../../shared/ids.ts'

const rowsPerPage = 1000
/** The most that Postgres prints of a `halfvec(1536)`. */
const embeddingBytes = 20_000

type Page<Row> = Promise<Row[]>
type Id = { id: string }

async function page<Row>(db: Database, statement: RawBuilder<Row>): Page<Row> {
  return (await statement.execute(db)).rows
}

/** Rows after the last one of the page before. */
const after = (key: string, ...last: (string | number | undefined)[]) =>
  last[0] === undefined ? sql`true` : sql`(${sql.raw(key)}) > (${sql.join(last)})`

export const agentsAfter = (db: Database, id: OrganizationId, last?: Id): Page<Id> =>
  page(
    db,
    sql<Id>`select id, name, knowledge_base_enabled, document_count, ready_document_count, created_at from agents
      where organization_id = ${id} and ${after('id', last?.id)} order by id limit ${rowsPerPage}`,
  )

/** Neither the keys, which nobody has, nor their hashes. */
export const keysAfter = (db: Database, id: OrganizationId, last?: Id): Page<Id> =>
  page(
    db,
    sql<Id>`select id, name, permissions, expires_at, revoked_at, created_by, created_at from api_keys
      where organization_id = ${id} and ${after('id', last?.id)} order by id limit ${rowsPerPage}`,
  )

type SecretKey = { agent_id: string; platform: string }

/** Whether there is one; not the secret. */
export const signingSecretsAfter = (db: Database, id: OrganizationId, last?: SecretKey): Page<SecretKey> =>
  page(
    db,
    sql<SecretKey>`select agent_id, platform, created_at from signing_secrets
      where organization_id = ${id} and ${after('agent_id, platform', last?.agent_id, last?.platform)}
      order by agent_id, platform limit ${rowsPerPage}`,
  )

export const callsAfter = (db: Database, id: OrganizationId, last?: Id): Page<Id> =>
  page(
    db,
    sql<Id>`select id, agent_id, done_at, deleted_at, created_at from calls
      where organization_id = ${id} and ${after('id', last?.id)} order by id limit ${rowsPerPage}`,
  )

type QuestionKey = { agent_id: string; id: string }

export const questionsAfter = (db: Database, id: OrganizationId, last?: QuestionKey): Page<QuestionKey> =>
  page(
    db,
    sql<QuestionKey>`select agent_id, id, question, mode, is_degraded, hits, best_score, asked_at from question_log
      where organization_id = ${id} and ${after('agent_id, id', last?.agent_id, last?.id)}
      order by agent_id, id limit ${rowsPerPage}`,
  )

/** Large contents shorten a page, to one document at least. */
export const documentsAfter = (db: Database, id: OrganizationId, last?: Id): Page<Id> =>
  page(
    db,
    sql<Id>`with sized as (
        select id, row_number() over (order by id) as position,
          sum(coalesce(octet_length(content), 0) + coalesce(octet_length(extracted_text), 0)) over (order by id) as bytes
        from documents where organization_id = ${id} and ${after('id', last?.id)} order by id limit ${rowsPerPage})
      select d.id, d.agent_id, d.title, d.content, d.extracted_text, d.source_type, d.source_url, d.file_bytes, d.status,
        d.managed_by, d.revision, d.active_revision, d.error_message, d.created_at, d.updated_at
      from sized join documents d on (d.organization_id, d.id) = (${id}, sized.id)
      where sized.position = 1 or sized.bytes <= ${pageBytes} order by d.id`,
  )

type ChunkKey = { document_id: string; revision: number; chunk_index: number }
type StoredChunk = ChunkRow & { revision: number; is_served: boolean | null }

/** Chunks of all revisions, drafts and those in progress included. Embeddings are base64 of little-endian 32-bit floats. */
export const chunksAfter = (withEmbeddings: boolean) => async (db: Database, id: OrganizationId, last?: ChunkKey) => {
  const key = 'document_id, revision, chunk_index'
  const order = sql.raw(key)
  const vectors = sql`left join vectors v on (v.organization_id, v.document_id, v.id) = (${id}, c.document_id, c.vector_id)`
  const rows = await page(
    db,
    sql<StoredChunk>`with sized as (
        select document_id, revision, chunk_index, row_number() over (order by ${order}) as position,
          sum(octet_length(content) + octet_length(metadata::text) + ${withEmbeddings ? embeddingBytes : 0}::int)
            over (order by ${order}) as bytes
        from chunks where organization_id = ${id} and ${after(key, last?.document_id, last?.revision, last?.chunk_index)}
        order by ${order} limit ${rowsPerPage})
      select c.id, c.document_id, c.agent_id, c.content, c.chunk_index, c.token_count, c.created_at, c.revision,
        ${chunkMetadata} as metadata, ${isServed} as is_served${withEmbeddings ? sql`, v.embedding, v.exponent` : sql``}
      from sized
        join chunks c on (c.organization_id, c.document_id, c.revision, c.chunk_index)
          = (${id}, sized.document_id, sized.revision, sized.chunk_index)
        join documents d on (d.organization_id, d.id) = (${id}, c.document_id)
        ${withEmbeddings ? vectors : sql``}
      where sized.position = 1 or sized.bytes <= ${pageBytes}
      order by c.document_id, c.revision, c.chunk_index`,
  )
  return rows.map((row) => ({
    ...toChunk(row, 'base64'),
    revision: row.revision,
    is_served: row.is_served ?? false,
  }))
}
