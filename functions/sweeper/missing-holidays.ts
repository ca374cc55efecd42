import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, isAgent } from '../../shared/database/scope.ts'
import type { MissingHoliday } from '../../shared/database/tables.ts'
import { dayMilliseconds, dayOf, startOfDay, timeZoneOf } from '../../shared/organizations/time-zone.ts'
import { countryOf, isoOf, type Place } from '../../shared/retrieval/dates/calendar.ts'
import { namingIn, type ReadSentence, readPassage } from '../../shared/retrieval/dates/written-days.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { fold } from '../../shared/terms/word-forms.ts'
import { acquireDue } from '../../shared/work/sweep.ts'
import type { PublicHoliday } from './public-holidays.ts'

const daysAhead = 14
/** A document that is valid for at most this time, and speaks of hours, speaks of these days. */
const maxValidMilliseconds = 14 * dayMilliseconds
/** An agent with more chunks is not reminded: the others may have the date. */
const maxChunks = 3000
/** The longest chunks of a part have less than the database returns at a time. */
const chunksPerPart = 100

interface Agent extends AgentScope {
  time_zone: string | null
  holidays: string
}

interface Chunk {
  document_id: string
  revision: number
  chunk_index: number
  sentences: readonly ReadSentence[]
  valid_from: Date | null
  valid_until: Date | null
}

/** Agents that have public holidays and were checked a day ago; if a holiday is missing or the check failed, an hour ago. */
const acquireAgents = acquireDue<Agent>('agents', 'holidays_due_at', sql<boolean>`a.holidays is not null`, {
  seconds: 3600,
  max: 20,
  columns: sql`a.id as "agentId", a.time_zone, a.holidays`,
})

/**
 * Stores which public holidays of the next fortnight no served text of an agent names, for a few agents, while it may go on. The database
 * sends their event. @returns the number of agents
 */
export async function checkHolidays(db: Database, now: Date, mayGoOn: () => boolean): Promise<number> {
  const { agents } = await db.batch({ agents: acquireAgents })
  let checked = 0
  for (const agent of agents) {
    if (!mayGoOn()) break
    try {
      const own = db.forOrganization(agent.organizationId)
      const missing = await missingHolidays(own, agent, now)
      await own
        .updateTable('agents as a')
        .set({
          missing_holidays: JSON.stringify(missing),
          ...(missing.length === 0 && { holidays_due_at: sql`now() + interval '1 day'` }),
        })
        .where(isAgent(agent))
        .where('a.holidays', '=', agent.holidays)
        .execute()
      checked++
    } catch (error) {
      const { organizationId: organization_id, agentId: agent_id } = agent
      log.error('holidays_not_checked', { organization_id, agent_id, error: describeError(error) })
    }
  }
  return checked
}

/** The public holidays of the next fortnight that no served text names, in order. */
async function missingHolidays(db: Database, agent: Agent, now: Date): Promise<MissingHoliday[]> {
  const timeZone = timeZoneOf(agent)
  // Its data has more than a megabyte, which only this check needs.
  const { publicHolidays } = await import('./public-holidays.ts')
  const [from, to] = [0, daysAhead].map((days) => dayOf(new Date(now.getTime() + days * dayMilliseconds), timeZone))
  let missing = publicHolidays(agent.holidays, from!, to!)
  let last: Chunk | undefined
  for (let read = 0; missing.length > 0; read += chunksPerPart) {
    if (read >= maxChunks) return []
    const chunks = await readChunks(db, agent, timeZone, last)
    missing = missing.filter((holiday) => !chunks.some((chunk) => isNamedIn(chunk, holiday, { ...agent, timeZone })))
    last = chunks.at(-1)
    if (chunks.length < chunksPerPart) break
  }
  return missing.map(({ day, name }) => ({ day, name }))
}

/** Reads a part of the agent's served chunks, newest documents first, after the last one of the part before. */
async function readChunks(
  db: Database,
  { organizationId, agentId, holidays }: Agent,
  timeZone: string,
  last?: Chunk,
): Promise<Chunk[]> {
  const country = countryOf({ timeZone, holidays })
  const after = sql`(${last?.document_id}::uuid, ${last?.revision}::int, ${last?.chunk_index}::int)`
  const { rows } = await sql<Omit<Chunk, 'sentences'> & { content: string }>`
    select c.document_id, c.revision, c.chunk_index, c.content, d.valid_from, d.valid_until
    from chunks c
      join documents d on d.organization_id = c.organization_id and d.id = c.document_id and c.revision <= d.active_revision
    where c.organization_id = ${organizationId} and c.agent_id = ${agentId}
      and ${last ? sql`(c.document_id, c.revision, c.chunk_index) < ${after}` : sql`true`}
    order by c.document_id desc, c.revision desc, c.chunk_index desc limit ${chunksPerPart}`.execute(db)
  return rows.map(({ content, ...chunk }) => ({ ...chunk, sentences: readPassage([], content, country) }))
}

/** True if the chunk is served on the holiday, and says something of it or of all public holidays. */
function isNamedIn(
  { sentences, valid_from, valid_until }: Chunk,
  { day, names }: PublicHoliday,
  place: Place,
): boolean {
  const number = Date.parse(day) / dayMilliseconds
  const isBefore = valid_until && valid_until <= startOfDay(day, place.timeZone)
  const isAfter = valid_from && valid_from >= startOfDay(isoOf(number + 1), place.timeZone)
  if (isBefore || isAfter) return false
  const isOfTheseDays = valid_from && valid_until && Number(valid_until) - Number(valid_from) <= maxValidMilliseconds
  return sentences.some(({ text, mentions, speaksOfHours }) => {
    const naming = namingIn(mentions, number, place)
    if (naming === 'date' || naming === 'range' || mentions.publicHolidays) return true
    return (isOfTheseDays && speaksOfHours) || names.some((name) => plain(text).includes(plain(name)))
  })
}

const plain = (text: string) => fold(text).replaceAll('’', "'")
