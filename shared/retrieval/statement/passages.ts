import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { AgentScope } from '../../database/scope.ts'
import { isAgent } from '../../database/scope.ts'
import { chunkMetadata } from '../../documents/processing/served-chunks.ts'
import { toStored } from '../../embedding/vectors.ts'
import type { DocumentId } from '../../ids.ts'
import type { Place } from '../index/agent-index.ts'
import { type ChangesRow, changesSince } from '../index/changes.ts'
import type { QueryVectorKey } from '../query-vector/query-vectors.ts'

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')
const v = columnsOf('vectors', 'v')
const q = columnsOf('query_vectors', 'q')

/** The text of a chunk, and what its source needs. */
export interface PassageRow {
  document_id: DocumentId
  chunk_id: string
  chunk_index: number
  content: string
  token_count: number
  metadata: Record<string, unknown>
  url: string | null
  page: string | number | null
}

/** What a search asks of the database, with what has changed since its index. */
export interface Wanted {
  /** The version of the index. */
  version: number
  /** Chunks whose cosines are wanted. */
  compared: readonly Place[]
  vectors: readonly ArrayLike<number>[]
  /** Vectors of the documents that chunks are compared by, in the order of the chunks; their own where there is none. */
  vectorIds?: readonly (string | undefined)[]
  /** True if chunks are compared by the vectors of the agent's next model. */
  ofNextModel?: boolean
  /** Chunks whose texts are wanted, and the size of these texts together. */
  read: readonly Place[]
  maxBytes: number
  /** Keys of vectors of questions that may be stored. */
  keys?: readonly QueryVectorKey[]
}

export type WantedRow = ChangesRow & {
  /** The database's clock, in milliseconds of the epoch. */
  now: number
  /** By vector, in the order of the chunks; null for a chunk that is no longer stored. */
  cosines: (number | null)[][]
  /** In the order of the chunks, up to the size; null for a chunk that is no longer stored. */
  passages: (PassageRow | null)[]
  /** In the order of the keys, as text of a `halfvec`; null where none is stored. */
  stored: (string | null)[]
}

/**
 * Reads the exact cosines of chunks and the texts of others, by their keys, in one snapshot with the agent's version: as long as it is the
 * index's, they are of the revisions in the index. No row if the agent does not exist.
 */
export function selectWanted(scope: AgentScope, { version, keys = [], ...wanted }: Wanted) {
  const stored = sql`select coalesce(json_agg(${q.embedding}::text order by k.n), '[]')
    from unnest(${keys}::bytea[]) with ordinality k(key, n)
    left join query_vectors q on ${q.organization_id} = ${scope.organizationId} and ${q.key} = k.key`
  return sql<WantedRow>`select extract(epoch from now())::float8 * 1000 as now,
    ${keys.length > 0 ? sql`(${stored})` : sql`'[]'::json`} as stored,
    ${cosines(scope, wanted)} as cosines, ${passages(scope, wanted)} as passages, ${changesSince(scope, { version })}
    where ${isAgent(scope)}`
}

function cosines(
  scope: AgentScope,
  { compared, vectors, vectorIds = [], ofNextModel = false }: Omit<Wanted, 'version' | 'keys'>,
) {
  if (compared.length === 0 || vectors.length === 0) return sql`'[]'::json`
  return sql`(select coalesce(json_agg(of_vector.cosines order by of_vector.n), '[]') from (
    select asked.n, json_agg(1 - (found.embedding <=> asked.vector) order by found.n) as cosines
    from (
      select r.n, v.embedding
      from ${places(compared)} left join unnest(${vectorIds.map((id) => id ?? null)}::uuid[]) with ordinality given(id, n) using (n)
      left join lateral (
        select ${ofNextModel ? c.other_vector_id : c.vector_id} as vector_id from chunks c where ${isAt(scope)} offset 0) c on true
      left join lateral (
        select ${v.embedding} from vectors v
        where ${v.organization_id} = ${scope.organizationId} and ${v.document_id} = r.document_id and v.id = coalesce(given.id, c.vector_id) offset 0) v on true
      offset 0) found
    cross join unnest(${vectors.map((vector) => toStored(vector).embedding)}::text[]::halfvec(1536)[]) with ordinality asked(vector, n)
    group by asked.n) of_vector)`
}

function passages(scope: AgentScope, { read, maxBytes }: Omit<Wanted, 'version' | 'keys'>) {
  if (read.length === 0) return sql`'[]'::json`
  return sql`(select coalesce(json_agg(p.passage order by p.n) filter (where p.n = 1 or p.bytes <= ${maxBytes}), '[]') from (
    select r.n, sum(octet_length(to_json(c.content)::text) + octet_length(to_json(c.metadata::text)::text)) over (order by r.n) as bytes,
      case when c.chunk_id is not null then json_build_object('document_id', r.document_id, 'chunk_id', c.chunk_id,
        'chunk_index', r.chunk_index, 'content', c.content, 'token_count', c.token_count, 'metadata', c.metadata, 'url', c.url,
        'page', c.page) end as passage
    from ${places(read)}
    left join lateral (
      select ${c.id} as chunk_id, ${c.content}, ${c.token_count}, ${chunkMetadata} as metadata,
        case when ${d.external_id} ~ '^https?://' then ${d.external_id} end as url,
        d.chunk_pages -> ${c.chunk_index} as page
      from chunks c join documents d on ${d.organization_id} = ${c.organization_id} and ${d.id} = ${c.document_id}
      where ${isAt(scope)} offset 0) c on true) p)`
}

/** Chunks as rows `r`, numbered by `n`. */
function places(chunks: readonly Place[]) {
  return sql`unnest(${chunks.map(({ document }) => document.documentId)}::uuid[], ${chunks.map(({ revision }) => revision)}::int[],
    ${chunks.map(({ index }) => index)}::int[]) with ordinality r(document_id, revision, chunk_index, n)`
}

function isAt({ organizationId }: AgentScope) {
  return sql`${c.organization_id} = ${organizationId} and ${c.document_id} = r.document_id and ${c.revision} = r.revision
    and ${c.chunk_index} = r.chunk_index`
}

/** Selects the chunks that contain metadata, or whose documents do: by document, null for all of its chunks. */
export function selectChosen(
  { organizationId, agentId }: AgentScope,
  metadata: Record<string, unknown> | undefined,
  ofDocument: Record<string, unknown> | undefined,
) {
  const isOfDocument = ofDocument ? sql`${d.metadata} @> ${JSON.stringify(ofDocument)}::jsonb` : sql`true`
  const chosen = metadata
    ? sql`(select array_agg(${c.chunk_index}) from chunks c
        where ${c.organization_id} = ${organizationId} and ${c.document_id} = ${d.id} and ${c.revision} <= ${d.active_revision}
          and ${chunkMetadata} @> ${JSON.stringify(metadata)}::jsonb)`
    : sql`null::int[]`
  return sql<{ document_id: DocumentId; places: number[] | null }>`
    select ${d.id} as document_id, ${chosen} as places from documents d
    where ${d.organization_id} = ${organizationId} and ${d.agent_id} = ${agentId} and ${d.active_revision} is not null and ${isOfDocument}`
}
