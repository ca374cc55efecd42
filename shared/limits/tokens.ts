import { sql } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'

export const secondsPerDay = 86_400

export function tokensUsedUp(perDay: number | string): string {
  return usedUp(Number(perDay).toLocaleString('en'))
}

const usedUp = (count: string) =>
  `The ${count} tokens a day that the organization may have embedded are used up. It goes on at 00:00 UTC.`

/** A `like` pattern for the error message of a document that waits for tokens. */
export const tokensUsedUpPattern = usedUp('%')

/** English text averages four bytes per token. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

export class TokensUsedUp extends Error {
  readonly seconds: number

  constructor(perDay: string, seconds: number) {
    super(tokensUsedUp(perDay))
    this.seconds = seconds
  }
}

const o = columnsOf('organizations', 'o')
const m = columnsOf('request_meters', 'm')
const t = columnsOf('embedded_tokens', 't')

export const today = sql<string>`(now() at time zone 'utc')::date`
const dayEndsIn = sql<number>`extract(epoch from (${today} + 1)::timestamp at time zone 'utc' - now())::float8`
/** Tokens of the day that questions of the organization `o` have used. */
export const questionTokens = sql<string>`coalesce(
  (select ${m.question_tokens} from request_meters m where ${m.organization_id} = ${o.id} and ${m.day} = ${today}), 0)`
const documentTokens = sql<string>`${o.tokens_per_day} - ${questionTokens}`

/** Reserves all tokens of a call if any are left. A crash of the database may lose the last calls. @throws TokensUsedUp */
export async function reserveTokens(db: Database, organizationId: OrganizationId, count: number): Promise<void> {
  const organization = sql`organizations o where ${o.id} = ${organizationId}`
  const { rows } = await sql`insert into embedded_tokens as t (organization_id, day, tokens)
      select ${o.id}, ${today}, ${count}::bigint from ${organization} and ${documentTokens} > 0
        and set_config('synchronous_commit', 'off', true) = 'off'
      on conflict (organization_id, day) do update set tokens = ${t.tokens} + excluded.tokens
        where exists (select from ${organization} and ${documentTokens} > ${t.tokens})
      returning ${t.tokens}`.execute(db)
  if (rows.length > 0) return
  const { rows: limits } = await sql<{ perDay: string; seconds: number }>`
    select ${o.tokens_per_day} as "perDay", ${dayEndsIn} as seconds from ${organization}`.execute(db)
  // Without its organization the document is gone too, and so is the lease.
  if (limits[0]) throw new TokensUsedUp(limits[0].perDay, limits[0].seconds)
}

/** The statement that selects the day's tokens for documents: those left, and the limit. */
export function findTokensLeft(organizationId: OrganizationId) {
  return sql<{
    left: string
    per_day: string
  }>`select ${o.tokens_per_day} as per_day, ${documentTokens} - coalesce((select ${t.tokens} from embedded_tokens t
      where ${t.organization_id} = ${o.id} and ${t.day} = ${today}), 0) as left
    from organizations o where ${o.id} = ${organizationId}`
}

/** The statement that counts unreserved tokens. It locks the organization's row, so it belongs at the end of a transaction. */
export function countTokens(organizationId: OrganizationId, count: number) {
  return sql`insert into embedded_tokens as t (organization_id, day, tokens)
    select ${o.id}, ${today}, ${count}::bigint from organizations o where ${o.id} = ${organizationId}
    on conflict (organization_id, day) do update set tokens = ${t.tokens} + excluded.tokens`
}

/** Counts an organization's tokens. */
export interface TokenMeter {
  /** @throws TokensUsedUp, or ApiError rate_limited */
  reserveTokens(count: number): Promise<void>
  releaseTokens(count: number): void | Promise<void>
}

/** Calls the provider with this many tokens reserved; they are released if the call fails. @throws the errors of the meter and of the call */
export async function withTokens<Result>(
  meter: TokenMeter,
  count: number,
  call: () => Promise<Result>,
): Promise<Result> {
  await meter.reserveTokens(count)
  try {
    return await call()
  } catch (error) {
    await meter.releaseTokens(count)
    throw error
  }
}

/** Returns the tokens reserved for a failed call, which the provider does not charge. */
export async function releaseTokens(db: Database, organizationId: OrganizationId, count: number): Promise<void> {
  await sql`update embedded_tokens t set tokens = greatest(0, ${t.tokens} - ${count}::bigint)
    where ${t.organization_id} = ${organizationId} and ${t.day} = ${today}`.execute(db)
}
