import { sql } from 'kysely'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { recordset } from '../../../shared/database/recordset.ts'
import { type AgentScope, isAgent } from '../../../shared/database/scope.ts'
import type { AnsweredSince } from '../../../shared/database/tables.ts'
import { isKept, type KeptQuestion } from '../../../shared/questions/questions.ts'
import { type Group, groupQuestions } from './grouping.ts'

/** The newest questions that are grouped. */
export const maxRead = 2000
/** The most that an organization saves an hour, which its database enforces. */
export const maxPerHour = 200
const maxPauses = 3

export type State = KeptQuestion['status'] | 'wrong' | 'since' | 'kept'
export type Part = 'open' | 'since' | 'all'
/** The states in each part of the inbox. */
export const parts: Readonly<Record<Part, readonly State[]>> = {
  open: ['wrong', 'uncertain', 'nothing'],
  since: ['since', 'kept'],
  all: ['wrong', 'uncertain', 'nothing', 'since', 'kept', 'found'],
}

interface Row extends Pick<KeptQuestion, 'id' | 'question' | 'status' | 'is_wrong' | 'asked_at'> {
  is_since: boolean
  /** A check keeps what it got. */
  is_kept: boolean
  asked_again_version: string | null
}

/** Questions with the same meaning and state. */
export interface Entry {
  state: State
  rows: Group<Row>
  newestId: string
}

export type WholeQuestion = KeptQuestion & { answered_since: AnsweredSince | null }

const a = columnsOf('agents', 'a')
const q = columnsOf('question_log', 'q')
const isKeptByCheck = sql<boolean>`coalesce(${q.answered_since} = '{}', false)`

/**
 * Reads the newest questions, the agent's present version, and when saving paused in the last days.
 * @param part answered questions are read only for `all`: there may be many
 */
export async function readInbox(db: Database, scope: AgentScope, part: Part) {
  const isListed = part === 'all' ? sql`true` : sql`(${q.is_wrong} or ${q.status} <> 'found')`
  const { agents, rows, pauses } = await db.batch({
    agents: sql<{ version: string }>`select ${a.served_version}::text as version from agents a where ${isAgent(scope)}`,
    rows: sql<Row>`select q.id, q.question, q.status, q.is_wrong, q.asked_at, ${q.is_answered_since} as is_since,
        ${isKeptByCheck} as is_kept,
        ${q.asked_again_version}::text as asked_again_version
      from question_log q where ${isKept(scope)} and ${isListed} order by q.id desc limit ${maxRead + 1}`,
    pauses: sql<{ at: Date }>`select max(${q.asked_at}) as at from question_log q
      where ${q.organization_id} = ${scope.organizationId} and ${q.asked_at} > now() - interval '7 days'
      group by date_trunc('hour', ${q.asked_at}) having count(*) >= ${maxPerHour} order by 1 desc limit ${maxPauses}`,
  })
  return {
    version: agents[0]?.version ?? '',
    rows: rows.slice(0, maxRead),
    hasMore: rows.length > maxRead,
    pauses: pauses.map(({ at }) => at),
  }
}

/** Groups questions of the same state, because their actions depend on it. The group with the newest question comes first: ids are made in the order of time. */
export function entriesOf(rows: readonly Row[]): Entry[] {
  return [...Map.groupBy(rows, stateOf)]
    .flatMap(([state, alike]) =>
      groupQuestions(alike).map((rows) => ({
        state,
        rows,
        newestId: rows
          .map(({ id }) => id)
          .sort()
          .at(-1)!,
      })),
    )
    .sort((one, other) => (one.newestId < other.newestId ? 1 : -1))
}

function stateOf({ status, is_wrong, is_since, is_kept }: Row): State {
  if (status === 'found' && !is_wrong) return 'found'
  if (is_kept) return 'kept'
  if (is_since) return 'since'
  return is_wrong ? 'wrong' : status
}

/** Reads questions whole, by id. */
export async function readWhole(db: Database, scope: AgentScope, entries: readonly Entry[]) {
  const ids = entries.map(({ rows: [first] }) => first.id)
  const { rows } = await sql<WholeQuestion>`select q.* from question_log q
    where ${isKept(scope)} and q.id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Keeps what answers each group's questions by now, and at which version. */
export async function keepAnswers(
  db: Database,
  { organizationId, agentId }: AgentScope,
  version: string,
  answers: ReadonlyMap<Entry, AnsweredSince | null>,
): Promise<void> {
  const rows = [...answers].flatMap(([{ rows }, answered_since]) => rows.map(({ id }) => ({ id, answered_since })))
  const changed = recordset('r', { id: 'uuid', answered_since: 'jsonb' }, rows)
  await sql`update question_log q set asked_again_version = ${version}, answered_since = r.answered_since
    from ${changed} where q.organization_id = ${organizationId} and q.agent_id = ${agentId} and q.id = r.id`.execute(db)
}
