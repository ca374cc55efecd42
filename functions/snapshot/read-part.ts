import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import { type AgentScope, isAgent } from '../../shared/database/scope.ts'
import type { AgentFacts } from '../../shared/retrieval/index/agent-index.ts'
import type { SnapshotChunk, SnapshotDocument } from './schemas.ts'

/** The last document that was read. */
export interface Position {
  version: number
  documentId: string
  /** The last of its chunks that was read; `wholeDocument` if all were. */
  chunkIndex: number
}

export const wholeDocument = 2 ** 31 - 1

interface AgentRow extends AgentFacts {
  served_version: number
  purged_version: number
}

/** What a snapshot leaves out. */
interface Known {
  /** The version that the client has; 0 for none. */
  since: number
  /** The agent's version at the first part of a whole snapshot: documents that were removed since are listed. Undefined for that part. */
  begun?: number | undefined
}

/** A document, or a part of one. */
export interface DocumentRow extends Omit<SnapshotDocument, 'is_whole' | 'chunks'> {
  is_whole: boolean
  /** The last index in `chunks`. */
  last_index: number | null
  /** True if no other document comes after it. */
  is_last: boolean
  chunks: SnapshotChunk[] | null
  /** The chunks' vectors in base64, in their order: 1,536 16-bit floats each, the highest byte first. */
  vectors: string | null
}

/** Characters of the driver’s JSON, which has that of the chunks as a text. Gzip makes it at least a fifth smaller: most of it is base64. */
const maxCharacters = 5_000_000
/** Changes come in smaller parts, since a client notices removals once a part. */
const maxCharactersOfChanges = maxCharacters / 4
const maxRemoved = 1000
/** A chunk's: its vector and its sketch in base64, ids and names of fields. */
const charactersOfChunk = 4096 + 256 + 300
const charactersOfDocument = 400

const a = columnsOf('agents', 'a')
const p = columnsOf('packs', 'p')
const d = columnsOf('documents', 'd')
const c = columnsOf('chunks', 'c')
const x = columnsOf('vectors', 'x')

export function findVersion(scope: AgentScope) {
  return sql<{ version: number }>`select ${a.served_version}::float8 as version from agents a where ${isAgent(scope)}`
}

/** Selects the documents that search no longer serves: the newest of those removed since a version. */
export function selectRemoved({ organizationId, agentId }: AgentScope, since: number) {
  return sql<{ document_id: string }>`select ${p.document_id} from packs p
    where ${p.organization_id} = ${organizationId} and ${p.agent_id} = ${agentId} and ${p.revision} is null and ${p.version} > ${since}::bigint
    order by ${p.version} desc limit ${maxRemoved}`
}

/**
 * Selects what has changed after a position, in the order of the changes, as much as fits into a part and at least one chunk. A document's
 * chunks are of the revision that search serves while the statement runs. A row has the agent, and a document unless none is left; no row
 * if the agent doesn't exist.
 * @param position undefined at the beginning
 */
export function selectPart(scope: AgentScope, { since, begun }: Known, position?: Position) {
  const { organizationId, agentId } = scope
  const most = since > 0 ? maxCharactersOfChanges : maxCharacters
  const { version = since, documentId = null, chunkIndex = -1 } = position ?? {}
  const isContinued = sql`(${p.version} = ${version}::bigint and ${p.document_id} = ${documentId}::uuid)`
  const isLater = sql`(${p.version} > ${version}::bigint
    or ${p.version} = ${version}::bigint and ${p.document_id} > ${documentId}::uuid
    or ${isContinued} and ${chunkIndex}::int < ${wholeDocument})`
  const written = (text: RawBuilder<unknown>) => sql`octet_length(to_json(to_json(${text})::text)::text)`
  const texts = sql`${written(sql`${c.content}`)} + ${written(sql`${c.metadata}::text`)}`
  const ofDocument = sql`${charactersOfDocument} + coalesce(${written(sql`${d.metadata}::text`)}, 0)`
  const size = sql`${charactersOfChunk} + ${texts} + 4 * octet_length(${c.terms}) / 3`
  return sql<AgentRow & (DocumentRow | { document_id: null })>`
    with changed as materialized (
      select p.*, ${d.metadata}, ${d.external_id}, ${d.chunk_offsets}, ${d.chunk_pages}, ${d.chunk_count},
        case when ${isContinued} then ${chunkIndex}::int else -1 end as after, lead(p.version) over in_order is null as is_last,
        coalesce(sum(${d.chunk_count}) over (in_order rows between unbounded preceding and 1 preceding), 0) as chunks_before,
        row_number() over in_order as n, ${ofDocument} as size
      from packs p left join documents d on ${d.organization_id} = ${p.organization_id} and ${d.id} = ${p.document_id}
      where ${p.organization_id} = ${organizationId} and ${p.agent_id} = ${agentId} and ${isLater}
        and (${since}::bigint > 0 or ${p.revision} is not null or ${p.version} > ${begun ?? null}::bigint)
      window in_order as (order by ${p.version}, ${p.document_id})
    ), sized as materialized (
      select g.n, c.*, lead(g.n) over of_document is null as is_end,
        sum(g.size / greatest(1, g.chunk_count) + coalesce(c.size, 0)) over (order by g.n, c.chunk_index) as characters
      from changed g left join lateral (
        select distinct on (${c.chunk_index}) ${c.chunk_index}, ${c.revision} as made_in, ${size} as size
        from chunks c
        where ${c.organization_id} = ${organizationId} and ${c.document_id} = g.document_id and ${c.revision} <= g.revision
          and ${c.chunk_index} > g.after and ${c.sketch} is not null and ${c.terms} is not null
        order by ${c.chunk_index}, ${c.revision} desc offset 0) c on true
      where g.chunks_before * ${charactersOfChunk} < ${most} and g.n * ${charactersOfDocument} < ${most}
      window of_document as (partition by g.n order by c.chunk_index)
    ), fitting as materialized (
      select s.* from sized s where s.characters < ${most} or s.characters = (select min(characters) from sized)
    ), read as (
      select g.n, g.document_id, g.version::float8 as version, g.revision, g.title, g.valid_from, g.valid_until, g.metadata,
        case when g.external_id ~ '^https?://' then g.external_id end as url, g.is_last,
        bool_or(f.is_end) as is_whole, bool_or(g.chunk_offsets is not null) as is_cut, max(f.chunk_index) as last_index,
        json_agg(json_build_object('chunk_id', t.id, 'chunk_index', f.chunk_index, 'revision', f.made_in, 'content', t.content,
          'token_count', t.token_count, 'page', g.chunk_pages -> f.chunk_index,
          'metadata', case when g.chunk_offsets is null then t.metadata else t.metadata || jsonb_build_object(
            'start', g.chunk_offsets[2 * f.chunk_index + 1], 'end', g.chunk_offsets[2 * f.chunk_index + 2]) end,
          'terms', translate(encode(t.terms, 'base64'), E'\\n', ''), 'sketch', translate(encode(t.sketch, 'base64'), E'\\n', ''))
          order by f.chunk_index) filter (where f.chunk_index is not null) as chunks,
        -- Its dimensions come first.
        encode(string_agg(substring(halfvec_send(x.embedding) from 5), ''::bytea order by f.chunk_index), 'base64') as vectors
      from fitting f join changed g on g.n = f.n
      left join lateral (
        select c.id, c.content, c.token_count, c.metadata, c.terms, c.sketch, c.vector_id from chunks c
        where ${c.organization_id} = ${organizationId} and ${c.document_id} = g.document_id
          and ${c.revision} = f.made_in and ${c.chunk_index} = f.chunk_index offset 0) t on true
      left join lateral (
        select ${x.embedding} from vectors x where ${x.organization_id} = ${organizationId} and ${x.document_id} = g.document_id
          and ${x.id} = t.vector_id offset 0) x on true
      group by g.n, g.document_id, g.version, g.revision, g.title, g.valid_from, g.valid_until, g.metadata, g.external_id, g.is_last
    )
    select ${a.served_version}::float8 as served_version, ${a.purged_version}::float8 as purged_version, ${a.name}, ${a.time_zone},
      ${a.holidays}, ${a.model}, r.*
    from agents a left join read r on true where ${isAgent(scope)} order by r.n`
}
