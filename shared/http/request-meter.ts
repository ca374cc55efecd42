import { sql } from 'kysely'
import { BoundedMap } from '../bounded-map.ts'
import { config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'
import { leakyBucket, type Size } from '../limits/leaky-bucket.ts'
import { secondsPerDay, tokensUsedUp } from '../limits/tokens.ts'
import { describeError, log } from '../telemetry/log.ts'
import { steadyNow } from '../time/steady-clock.ts'
import { Unavailable } from '../unavailable.ts'
import { rateLimited } from './rate-limited.ts'

export interface Meter {
  /** Counts a request, or the further searches of one request. @throws ApiError rate_limited, and then counts nothing */
  admit(searches?: number): Promise<void>
  /** Charges a request for the time that it took, and waits for the report in progress. */
  finish(milliseconds: number): Promise<void>
  /** @throws ApiError rate_limited when the tokens of the day are used up */
  reserveTokens(count: number): Promise<void>
  releaseTokens(count: number): void
}

/** The result of `count_requests`: the totals of all instances. Bigints are strings. */
interface Totals {
  seconds_ahead: number
  requests_per_second: number
  request_burst: number
  tokens_per_day: string
  tokens_left: string
  day_ends_in: number
}

type MeterOptions = { now?: (() => number) | undefined; concurrency?: number | undefined }

const assumedSize: Size = { perSecond: 50, burst: 200 }
/** The limit is lower while the bucket empties: a tenth of the requests that are left. */
const maxUnreported = 10
const reportAfterMilliseconds = 1000
/** An instance that refuses requests reads the limits again, since they may have been raised. */
const refreshAfterMilliseconds = 5000
/** A slow database does not hold up the request: the next report counts the requests that this one could not. */
const maxReportSeconds = 1
const maxConcurrencyShare = 0.25
const maxOrganizations = 10_000

/**
 * Limits that all instances enforce together: each reports its admitted requests to a bucket in the database, every second or every ten
 * requests, and adopts the totals. A slow request costs more: an organization keeps at most a quarter of a Lambda's executions busy.
 */
export function requestMeters(
  db: Database,
  { now = steadyNow, concurrency = config().RESERVED_CONCURRENCY }: MeterOptions = {},
): (organization: OrganizationId) => Meter {
  const meters = new BoundedMap<OrganizationId, Meter>(maxOrganizations)
  return (organization) =>
    meters.getOrInsertComputed(organization, () =>
      requestMeter(db.forOrganization(organization).within(maxReportSeconds), now, concurrency),
    )
}

function requestMeter(db: Database, now: () => number, concurrency: number | undefined): Meter {
  const requests = leakyBucket(now, assumedSize)
  let tokens = { left: Number.POSITIVE_INFINITY, perDay: 0, dayEndsAt: 0 }
  let unreported = { requests: 0, cost: 0, tokens: 0 }
  let reportedAt = Number.NEGATIVE_INFINITY
  let reporting: Promise<void> | undefined

  function charge(cost: number): void {
    requests.take(cost)
    unreported.cost += cost
  }

  function costOf(milliseconds: number): number {
    if (concurrency === undefined) return 1
    const busy = Math.max(1, concurrency * maxConcurrencyShare)
    return Math.max(1, (milliseconds / 1000) * (requests.size.perSecond / busy))
  }

  const isMany = () =>
    unreported.tokens !== 0 || unreported.cost >= Math.max(1, Math.min(maxUnreported, requests.left() / maxUnreported))

  function report(): Promise<void> {
    reporting ??= send().finally(() => {
      reporting = undefined
    })
    return reporting
  }

  async function send(): Promise<void> {
    const sent = unreported
    unreported = { requests: 0, cost: 0, tokens: 0 }
    reportedAt = now()
    const counting = sql<Totals>`
      select * from count_requests(${sent.requests}::int, ${sent.cost}::float8, ${sent.tokens}::int)`
    try {
      const { rows } = await counting.execute(db)
      if (rows[0]) return applyTotals(rows[0])
    } catch (error) {
      if (!(error instanceof Unavailable)) log.error('requests_not_counted', { error: describeError(error) })
    }
    unreported.requests += sent.requests
    unreported.cost += sent.cost
    unreported.tokens += sent.tokens
  }

  function applyTotals(totals: Totals): void {
    requests.set(
      { perSecond: totals.requests_per_second, burst: totals.request_burst },
      Math.max(0, totals.seconds_ahead * 1000),
    )
    requests.take(unreported.cost)
    tokens = {
      left: Number(totals.tokens_left) - unreported.tokens,
      perDay: Number(totals.tokens_per_day),
      dayEndsAt: now() + totals.day_ends_in * 1000,
    }
  }

  return {
    async admit(searches = 1) {
      if (requests.wait() > 0 && now() - reportedAt >= refreshAfterMilliseconds) await report()
      const wait = requests.wait()
      if (wait > 0) {
        const { perSecond, burst } = requests.size
        const limit = { name: 'requests', quota: burst, windowSeconds: Math.ceil(burst / perSecond) } as const
        const slow = concurrency === undefined ? '' : ' A slow request counts as several.'
        throw rateLimited(limit, wait / 1000, `The organization sends more than ${perSecond} requests a second.${slow}`)
      }
      charge(searches)
      unreported.requests += searches
      if (isMany() || now() - reportedAt >= reportAfterMilliseconds) void report()
    },
    async finish(milliseconds) {
      const more = costOf(milliseconds) - 1
      charge(more)
      await reporting
      if (more >= 1 || isMany()) await report()
    },
    async reserveTokens(count) {
      await reporting
      if (tokens.left <= 0 && now() < tokens.dayEndsAt) {
        const { perDay, dayEndsAt } = tokens
        const limit = { name: 'tokens', quota: perDay, windowSeconds: secondsPerDay } as const
        throw rateLimited(limit, (dayEndsAt - now()) / 1000, tokensUsedUp(perDay))
      }
      unreported.tokens += count
      tokens.left -= count
      void report()
    },
    releaseTokens(count) {
      unreported.tokens -= count
      tokens.left += count
    },
  }
}
