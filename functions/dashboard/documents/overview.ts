import { type Expression, type InferResult, type SqlBool, sql } from 'kysely'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type AgentScope, type DocumentScope, isDocument, isOfAgent } from '../../../shared/database/scope.ts'
import { disagreements } from '../../../shared/documents/client/disagreements.ts'
import { awaitsFile, awaitsText, isFileMissing, isHeld } from '../../../shared/documents/processing/guards.ts'
import { findDocument } from '../../../shared/http/not-found.ts'

/** A document's fields for the screens, without its text. */
export type Overview = InferResult<ReturnType<typeof overviews>>[number]

/** The document that a held document resembles. */
export interface Changes {
  otherId: string
  otherTitle: string
  otherEdits: number
}

/** The filters of the list besides the current documents. Those that are no longer valid are in `past` only. */
export const groups = ['needs', 'past'] as const
export type Group = (typeof groups)[number]

const d = columnsOf('documents', 'd')
const c = columnsOf('chunks', 'c')
const a = columnsOf('agents', 'a')

const isPast = sql<boolean>`coalesce(${d.valid_until} <= now(), false)`
/** True if a person has to do something: decide about a new version, a check or a failure, or send the file. */
const needsPerson = sql<boolean>`(${d.status} = 'error' or ${d.warnings} <> '[]' or ${isHeld} or ${isFileMissing})`

/** Lists the documents of a group, or the current ones, after a key, newest first. Their titles contain every word, in upper or lower case. */
export async function listOverviews(
  db: Database,
  scope: AgentScope,
  sought: { words: string[]; group?: Group | undefined; limit: number; after?: [string, string] | undefined },
) {
  const { words, group, limit, after } = sought
  const documents = await overviews(db, isOfAgent(scope))
    .$if(words.length > 0, (query) => query.where(sql<boolean>`${d.title} ilike all(${words.map(toPattern)}::text[])`))
    .where(sql<boolean>`${isPast} = ${group === 'past'}`)
    .$if(group === 'needs', (query) => query.where(needsPerson))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(${d.created_at}, ${d.id}) < (${after![0]}::timestamptz, ${after![1]}::uuid)`),
    )
    .orderBy('d.created_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit + 1)
    .execute()
  return { documents: documents.slice(0, limit), hasMore: documents.length > limit }
}

/** Counts an agent's documents. */
export async function countOverviews(db: Database, scope: AgentScope): Promise<Record<Group | 'current', number>> {
  const counted = (condition: Expression<SqlBool>) => sql<number>`(count(*) filter (where ${condition}))::int`
  return await db
    .selectFrom('documents as d')
    .select([
      counted(sql`not ${isPast}`).as('current'),
      counted(sql`not ${isPast} and ${needsPerson}`).as('needs'),
      counted(isPast).as('past'),
    ])
    .where(isOfAgent(scope))
    .executeTakeFirstOrThrow()
}

export async function findOverviews(db: Database, scope: AgentScope, ids: string[]): Promise<Overview[]> {
  return await overviews(db, isOfAgent(scope)).where(sql<boolean>`${d.id} = any(${ids}::uuid[])`).execute()
}

/** @throws ApiError agent_not_found, document_not_found */
export async function findOverview(db: Database, scope: DocumentScope): Promise<Overview> {
  return await findDocument(db, scope, overviews(db, isDocument(scope)))
}

export function overviews(db: Database, condition: Expression<SqlBool>) {
  return db
    .selectFrom('documents as d')
    .select(['d.id', 'd.title', 'd.source_type', 'd.source_url', 'd.status', 'd.managed_by', 'd.edits', 'd.version'])
    .select([
      'd.chunk_count',
      'd.searchable_chunk_count',
      'd.planned_chunk_count',
      'd.pages_read',
      'd.pages',
      'd.created_at',
      'd.updated_at',
    ])
    .select(['d.source_id', 'd.external_id', website.as('website')])
    .select([
      'd.warnings',
      'd.file_notes',
      'd.valid_from',
      'd.valid_until',
      validity.as('validity'),
      timeZone.as('time_zone'),
    ])
    .select(disagreements.as('disagreements'))
    .select(['d.error_code', 'd.error_message', 'd.waiting_reason', 'd.next_attempt_at', 'd.tries'])
    .select([
      awaitsText.as('awaits_text'),
      awaitsFile.as('awaits_file'),
      isFileMissing.as('is_file_missing'),
      storedChunkCount.as('stored_chunk_count'),
      isHeld.as('is_held'),
      changes.as('changes'),
    ])
    .where(condition)
}

/** Null unless the document is held, and the one that it resembles exists. */
const changes = sql<Changes | null>`(case when ${isHeld} then (
  select jsonb_build_object('otherId', o.id, 'otherTitle', o.title, 'otherEdits', o.edits) from documents o
  where o.organization_id = ${d.organization_id} and o.id = ${d.resembles} and o.id <> ${d.id}) end)`

const validity = sql<'expired' | 'scheduled' | null>`(case
  when ${isPast} then 'expired' when ${d.valid_from} > now() then 'scheduled' end)`

const website = sql<
  string | null
>`(select s.url from sources s where s.organization_id = ${d.organization_id} and s.id = ${d.source_id})`

const timeZone = sql<string | null>`(select ${a.time_zone} from agents a
  where ${a.organization_id} = ${d.organization_id} and ${a.id} = ${d.agent_id})`

const storedChunkCount = sql<number | null>`(case when ${d.planned_chunk_count} is not null then (
  select count(*)::int from chunks c
  where ${c.organization_id} = ${d.organization_id} and ${c.document_id} = ${d.id} and ${c.revision} = ${d.revision}) end)`

/** Makes an `ilike` pattern that finds the word anywhere, with the word's wildcards escaped. */
function toPattern(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** A tag that changes with everything that the screens show. */
export function tagOf(document: Overview): string {
  const { version, pages_read, planned_chunk_count, stored_chunk_count, awaits_file, is_file_missing, validity } =
    document
  const disagreeing = document.disagreements.length || null
  const file = awaits_file ? (is_file_missing ? 'missing' : 'awaited') : null
  return [version, pages_read, stored_chunk_count, planned_chunk_count, file, validity, disagreeing]
    .filter((part) => part !== null)
    .join('.')
}
