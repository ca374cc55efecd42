import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { AgentScope } from '../../database/scope.ts'
import { chunkMetadata } from '../../documents/processing/served-chunks.ts'
import { toStored } from '../../embedding/stored-vectors.ts'
import { payloadLimit } from '../../http/payload.ts'
import type { DocumentId } from '../../ids.ts'
import type { AgentFacts, Place } from '../index/agent-index.ts'

/** What a search asks of the database, besides what has changed since its index. */
export interface Wanted {
  /** The version of the index. */
  version: number
  /** Chunks whose cosines with the vectors are wanted. */
  compared?: readonly Place[]
  vectors?: readonly ArrayLike<number>[]
  /** Ids of the vectors by which chunks are compared, in the order of the chunks; their own where there is none. */
  vectorIds?: readonly (string | undefined)[]
  /** True if chunks are compared by the vectors of the agent's next model. */
  ofNextModel?: boolean
  /** Chunks whose texts are wanted, as many as fit into a response. */
  read?: readonly Place[]
}

/** A document's row of `packs`. */
export interface PackRow {
  document_id: DocumentId
  version: number
  /** Null if search no longer serves the document. */
  revision: number | null
  title: string | null
  valid_from: Date | string | null
  valid_until: Date | string | null
  /** In base64, unless they are not from the database. */
  chunks?: string | Uint8Array | null | undefined
}

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

export interface AgentRow extends AgentFacts {
  version: number
  /** What has changed since; null if that is much. */
  changed: PackRow[] | null
  /** The database's clock, in milliseconds of the epoch. */
  now: number
  /** By vector, in the order of the chunks. */
  cosines: number[][] | null
  /** In the order of the chunks, as many as fit; null for a chunk that is no longer stored. */
  passages: (PassageRow | null)[] | null
}

/**
 * Reads an agent, exact cosines and texts of chunks, by their keys. As long as the version is the index's, they are of the revisions in the
 * index. No row if the agent does not exist.
 */
export function readAgent(
  { organizationId, agentId }: AgentScope,
  { version, vectors = [], compared = [], vectorIds = [], ofNextModel = false, read = [] }: Wanted,
) {
  return sql<AgentRow>`select * from read_agent(${organizationId}, ${agentId}, ${version},
    ${vectors.map((vector) => toStored(vector).embedding)}::halfvec[], ${places(compared)},
    ${compared.map((_, i) => vectorIds[i] ?? null)}::uuid[], ${ofNextModel}, ${places(read)}, ${payloadLimit})`
}

function places(chunks: readonly Place[]) {
  const documents = chunks.map(({ document }) => document.documentId)
  const revisions = chunks.map(({ revision }) => revision)
  return sql`${documents}::uuid[], ${revisions}::int[], ${chunks.map(({ index }) => index)}::int[]`
}

const c = columnsOf('chunks', 'c')
const d = columnsOf('documents', 'd')

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
