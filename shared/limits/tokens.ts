import { type Kysely, sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import type { OrganizationId } from '../ids.ts'

export const secondsPerDay = 86_400

export function tokensUsedUp(perDay: number | string): string {
  return usedUp(Number(perDay).toLocaleString('en'))
}

const usedUp = (count: string) =>
  `The ${count} tokens a day that the organization may have embedded are used up. It goes on at 00:00 UTC.`

/** For `like`: what a document says that waits for them. */
export const tokensUsedUpPattern = usedUp('%')

/** As a tokenizer for English would count, on average: nobody pays by this. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

/** Of the pipeline. It waits for the next day. */
export class TokensUsedUp extends Error {
  /** Until then. */
  readonly seconds: number

  constructor(perDay: string, seconds: number) {
    super(tokensUsedUp(perDay))
    this.seconds = seconds
  }
}

const o = columnsOf('organizations', 'o')
const m = columnsOf('request_meters', 'm')
const t = columnsOf('embedded_tokens', 't')
/** Where it is inserted into, which Kysely gives no alias. */
const held = columnsOf('embedded_tokens', 'embedded_tokens')

/** UTC, as are all days that something is counted for. */
export const today = sql<string>`(now() at time zone 'utc')::date`
const dayEndsIn = sql<number>`extract(epoch from (${today} + 1)::timestamp at time zone 'utc' - now())::float8`
/** That cost vectors today, of the organization o. */
export const questionTokens = sql<string>`coalesce(
  (select ${m.question_tokens} from request_meters m where ${m.organization_id} = ${o.id} and ${m.day} = ${today}), 0)`

/** Of the day's tokens of the organization o, those that its questions leave to its documents. */
const forDocuments = sql<string>`${o.tokens_per_day} - ${questionTokens}`

/** Adds nothing once the tokens of the day are used up. */
function addTokens(db: Kysely<Tables>, organizationId: OrganizationId, count: number) {
  const ofOrganization = (db: Kysely<Tables>) => db.selectFrom('organizations as o').where('o.id', '=', organizationId)
  const isLeft = sql<boolean>`${forDocuments} > `
  return db
    .insertInto('embedded_tokens')
    .columns(['organization_id', 'day', 'tokens'])
    .expression(
      ofOrganization(db)
        .select(['o.id', today.as('day'), sql<string>`${count}::bigint`.as('tokens')])
        .where(sql<boolean>`${isLeft} 0`),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'day'])
        .doUpdateSet(({ ref }) => ({ tokens: sql<string>`${held.tokens} + ${ref('excluded.tokens')}` }))
        .where(({ exists }) => exists(ofOrganization(db).select('o.id').where(sql<boolean>`${isLeft} ${held.tokens}`))),
    )
    .returning('tokens')
}

/**
 * Before a call of the provider. Whoever finds something left takes all that a call needs, so a day goes past its limit by one call at
 * most: 290,000 tokens. What a worker has reserved when it dies counts as used.
 * @throws TokensUsedUp
 */
export async function reserveTokens(db: Database, organizationId: OrganizationId, count: number): Promise<void> {
  const { reserved, limit } = await db.batch({
    reserved: addTokens(db, organizationId, count),
    limit: db
      .selectFrom('organizations as o')
      .select(['o.tokens_per_day', dayEndsIn.as('seconds')])
      .where('o.id', '=', organizationId),
  })
  // Without its organization the document is gone too, and so is the lease.
  if (reserved.length === 0 && limit[0]) throw new TokensUsedUp(limit[0].tokens_per_day, limit[0].seconds)
}

/** For a call that has failed, which nobody charges for. */
export async function releaseTokens(db: Database, organizationId: OrganizationId, count: number): Promise<void> {
  await db
    .updateTable('embedded_tokens as t')
    .set({ tokens: sql<string>`greatest(0, ${t.tokens} - ${count})` })
    .where('t.organization_id', '=', organizationId)
    .where('t.day', '=', today)
    .execute()
}
