import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Database } from '../../database/database.ts'
import { type AgentScope, isAgent } from '../../database/scope.ts'
import { agentNotFound } from '../../http/not-found.ts'
import type { DocumentId } from '../../ids.ts'
import { forgetPassages } from '../statement/kept-passages.ts'
import type { AgentRow, PackRow } from '../statement/read-agent.ts'
import { type AgentFacts, type AgentIndex, type Change, emptyIndex, withChanges, withSegment } from './agent-index.ts'

const a = columnsOf('agents', 'a')
const p = columnsOf('packs', 'p')

/** The bytes of chunks that a statement reads: of a part, and of a document that is larger by itself. The driver takes 10 MB at a time. */
export const bytesPerPart = 3_000_000

/** The index after what a search's statement has returned. @throws ApiError agent_not_found */
export async function withRow(db: Pick<Database, 'batch'>, index: AgentIndex, row: AgentRow): Promise<AgentIndex> {
  const { version, changed, name, time_zone, holidays, model } = row
  if (version < index.version || changed === null) return await upToDate(db, index)
  return withChanges(index, changed.map(toChange), { version, agent: { name, time_zone, holidays, model } })
}

/** Much is read in so many streams, each in parts. The part before them is small, since nothing is read beside it. */
const streams = 4
const bytesOfFirst = 600_000

/**
 * The agent's index as it was when this began, or newer. Reads all changes since its version in their order: what changes meanwhile comes
 * last. @throws ApiError agent_not_found
 */
export async function upToDate(db: Pick<Database, 'batch'>, index: AgentIndex): Promise<AgentIndex> {
  const { scope } = index
  const first = await readPart(db, scope, { version: index.version })
  const { version, agent, changes, last } = first
  if (version < index.version) {
    // A database that was restored has gone back.
    forgetPassages()
    return await upToDate(db, emptyIndex(scope))
  }
  if (!last) return withChanges(index, changes, { version, agent })
  let loaded = index
  const add = (part: Part) => {
    loaded = withSegment(loaded, part.changes)
  }
  const readStream = async (stream: number): Promise<number> => {
    for (let position: Position = { ...last, stream }; ; ) {
      const part = await readPart(db, scope, position)
      add(part)
      if (!part.last) return part.version
      position = { ...part.last, stream }
    }
  }
  const read = Promise.all(Array.from({ length: streams }, (_, stream) => readStream(stream)))
  // While the streams are read.
  add(first)
  const versions = await read
  return { ...loaded, agent, version: Math.min(version, ...versions) }
}

/** The last change that was read, and the stream that is; all if undefined. */
interface Position {
  version: number
  documentId?: DocumentId
  stream?: number
}

interface Part extends Pick<AgentIndex, 'version' | 'agent'> {
  changes: Change[]
  /** The last of its changes; undefined if no other comes after it. */
  last: Position | undefined
}

async function readPart(db: Pick<Database, 'batch'>, scope: AgentScope, position: Position): Promise<Part> {
  const { rows } = await db.batch({ rows: selectChanges(scope, position) })
  const { served_version: version, name, time_zone, holidays, model } = rows[0] ?? agentNotFound()
  const packs = rows.filter(isPack)
  const changes: Change[] = []
  for (const pack of packs) {
    const chunks = await wholeChunks(pack, (from) => readFrom(db, scope, pack, from))
    // A document that has changed meanwhile comes again.
    if (chunks) changes.push(toChange({ ...pack, chunks }))
  }
  const last = packs.at(-1)
  return {
    version,
    agent: { name, time_zone, holidays, model },
    changes,
    last: last && !last.is_last ? { version: last.version, documentId: last.document_id } : undefined,
  }
}

/** A document with the first of its chunks, and the bytes of all. */
type ReadPack = PackRow & { chunks: string | null; size: number }

/** An agent with one of its changed documents, if any; `is_last`: no other has changed after it. */
type ChangeRow = AgentFacts & { served_version: number } & ((ReadPack & { is_last: boolean }) | { document_id: null })

const isPack = (row: ChangeRow): row is ChangeRow & ReadPack & { is_last: boolean } => row.document_id !== null

function selectChanges({ organizationId, agentId }: AgentScope, { version, documentId, stream }: Position) {
  const isLater = documentId
    ? sql`(${p.version}, ${p.document_id}) > (${version}::bigint, ${documentId}::uuid)`
    : sql`${p.version} > ${version}::bigint`
  const isOfStream =
    stream === undefined ? sql`true` : sql`get_byte(uuid_send(${p.document_id}), 15) % ${streams} = ${stream}`
  const size = sql`coalesce(octet_length(${p.chunks}), 0)`
  return sql<ChangeRow>`select ${a.served_version}::float8 as served_version, ${a.name}, ${a.time_zone}, ${a.holidays}, ${a.model},
      p.document_id, p.version::float8 as version, p.revision, p.title, p.valid_from, p.valid_until, p.size,
      encode(substring(p.chunks for ${bytesPerPart}), 'base64') as chunks, p.is_last
    from agents a left join (
      select p.*, ${size} as size, sum(${size}) over in_order - ${size} as before, lead(p.version) over in_order is null as is_last
      from packs p
      where ${p.organization_id} = ${organizationId} and ${p.agent_id} = ${agentId} and ${isLater} and ${isOfStream}
        and (${version}::bigint > 0 or ${p.revision} is not null)
      window in_order as (order by ${p.version}, ${p.document_id})) p on p.before < ${stream === undefined ? bytesOfFirst : bytesPerPart}
    where ${isAgent({ organizationId, agentId })} order by p.version, p.document_id`
}

/** @param rest reads the chunks from a byte on, in base64 @returns undefined if they can't be read any more */
export async function wholeChunks(
  { chunks, size }: { chunks: string | null; size: number },
  rest: (from: number) => Promise<string | undefined>,
): Promise<Buffer | undefined> {
  let bytes = Buffer.from(chunks ?? '', 'base64')
  while (bytes.length < size) {
    const part = await rest(bytes.length)
    if (part === undefined) return undefined
    bytes = Buffer.concat([bytes, Buffer.from(part, 'base64')])
  }
  return bytes
}

async function readFrom(
  db: Pick<Database, 'batch'>,
  scope: AgentScope,
  { document_id, version }: PackRow,
  from: number,
) {
  const { rows } = await db.batch({
    rows: sql<{
      part: string
    }>`select encode(substring(${p.chunks} from ${from + 1} for ${bytesPerPart}), 'base64') as part
      from packs p where ${p.organization_id} = ${scope.organizationId} and ${p.agent_id} = ${scope.agentId}
        and ${p.document_id} = ${document_id} and ${p.version} = ${version}::bigint`,
  })
  return rows[0]?.part
}

export function toChange({
  document_id: documentId,
  version,
  revision,
  title,
  valid_from,
  valid_until,
  chunks,
}: PackRow): Change {
  if (revision === null) return { documentId }
  const pack = {
    documentId,
    version,
    revision,
    title: title!,
    validFrom: valid_from === null ? -Infinity : new Date(valid_from).getTime(),
    validUntil: valid_until === null ? Infinity : new Date(valid_until).getTime(),
    chunks: typeof chunks === 'string' ? Buffer.from(chunks, 'base64') : chunks!,
  }
  return { documentId, pack }
}
