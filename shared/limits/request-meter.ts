import { sql } from 'kysely'
import type { Rider } from '../database/database.ts'
import type { OrganizationId } from '../ids.ts'
import { steadyNow } from '../steady-clock.ts'
import { leakyBucket, type Size } from './leaky-bucket.ts'
import { rateLimited } from './rate-limited.ts'
import { secondsPerDay, tokensUsedUp } from './tokens.ts'

/** What one instance knows of what an organization has asked for. */
export interface Meter {
  /**
   * Counts a request.
   * @param ask sends what the rider has to say, and nothing else: now and then while requests are refused, for then nothing else is sent
   * @throws ApiError rate_limited, and then counts nothing; Unavailable
   */
  admit(ask: () => Promise<unknown>): Promise<void>
  /** @throws ApiError rate_limited when the tokens of the day are used up */
  requireTokens(): void
  /** Counts what the vector of a question costs. @param count negative for one that cost nothing after all */
  spendTokens(count: number): void
  /** Tells the database, with statements that are sent anyway. */
  rider: Rider
}

/** What one instance has let in and not told. */
interface Untold {
  requests: number
  tokens: number
  /** When the first of the requests came: they count as if they had come evenly from then on. */
  since: number
}

/** What the database knows of all instances together. */
interface Counted {
  /** Until the bucket is full. */
  seconds_ahead: number
  requests_per_second: number
  request_burst: number
  tokens_per_day: string
  tokens_left: string
  /** Seconds. */
  day_ends_in: number
}

/** Until the database has said what the organization's are: those of most. */
const usual: Size = { perSecond: 50, burst: 200 }
/** After this, or with so many requests untold, the next statement tells: ten, and ever fewer while the bucket empties. */
const tellAfterMilliseconds = 1000
const maxUntold = 10
/** While requests are refused, and none tells: the limits may have been raised since. */
const askAfterMilliseconds = 5000
const maxOrganizations = 10_000

/**
 * The limits of organizations, held by a fleet whose instances know nothing of each other, without a round trip of their own. Each
 * instance refuses by a bucket of its own. The organization's row has that of all, to which each adds what it let in, with a statement
 * that a request makes anyway: once a second, or once in ten requests. The answer replaces the instance's own. As that bucket may fall
 * into debt, the fleet lets in no more than the rate in the long run; in between, at most ten requests more for each instance.
 * @param now milliseconds
 */
export function requestMeters(now: () => number = steadyNow): (organization: OrganizationId) => Meter {
  const meters = new Map<OrganizationId, Meter>()
  return (organization) => {
    const known = meters.get(organization)
    if (known) return known
    if (meters.size >= maxOrganizations) meters.clear()
    const meter = requestMeter(now)
    meters.set(organization, meter)
    return meter
  }
}

function requestMeter(now: () => number): Meter {
  const requests = leakyBucket(now, usual)
  let untold: Untold = { requests: 0, tokens: 0, since: now() }
  let toldAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let isAsking = false
  let tokens = { left: Number.POSITIVE_INFINITY, perDay: 0, dayEndsAt: 0 }

  function hear(counted: Counted): void {
    toldAt = now()
    requests.set(
      { perSecond: counted.requests_per_second, burst: counted.request_burst },
      Math.max(0, counted.seconds_ahead * 1000),
    )
    requests.take(untold.requests)
    tokens = {
      left: Number(counted.tokens_left) - untold.tokens,
      perDay: Number(counted.tokens_per_day),
      dayEndsAt: now() + counted.day_ends_in * 1000,
    }
  }

  /** For whom limits matter that may have changed, though it has nothing to tell. */
  const isCurious = () => isAsking || (areTokensUsedUp() && now() - toldAt >= tellAfterMilliseconds)
  const areTokensUsedUp = () => tokens.left <= 0 && now() < tokens.dayEndsAt

  return {
    async admit(ask) {
      if (requests.wait() > 0 && now() - Math.max(toldAt, askedAt) >= askAfterMilliseconds) {
        askedAt = now()
        isAsking = true
        await ask().finally(() => {
          isAsking = false
        })
      }
      const wait = requests.wait()
      if (wait > 0) {
        const { perSecond, burst } = requests.size
        const limit = { name: 'requests', quota: burst, windowSeconds: Math.ceil(burst / perSecond) } as const
        throw rateLimited(limit, wait / 1000, `The organization sends more than ${perSecond} requests a second.`)
      }
      requests.take()
      if (untold.requests === 0) untold.since = now()
      untold.requests++
    },
    requireTokens() {
      if (!areTokensUsedUp()) return
      const { perDay, dayEndsAt } = tokens
      const limit = { name: 'tokens', quota: perDay, windowSeconds: secondsPerDay } as const
      throw rateLimited(limit, (dayEndsAt - now()) / 1000, tokensUsedUp(perDay))
    },
    spendTokens(count) {
      untold.tokens += count
      tokens.left -= count
    },
    rider: {
      board() {
        const isNothing = untold.requests === 0 && untold.tokens === 0
        const isMany = untold.requests >= Math.min(maxUntold, requests.left() / maxUntold)
        const isDue = isMany || untold.tokens !== 0 || now() - toldAt >= tellAfterMilliseconds
        if (!isCurious() && (isNothing || !isDue)) return undefined
        const told = untold
        untold = { requests: 0, tokens: 0, since: now() }
        const keep = () => {
          untold = {
            requests: untold.requests + told.requests,
            tokens: untold.tokens + told.tokens,
            since: told.requests > 0 ? told.since : untold.since,
          }
        }
        const seconds = (now() - told.since) / 1000
        return {
          statement: sql`select * from count_requests(${told.requests}::int, ${seconds}::float8, ${told.tokens}::int)`,
          arrived: ([counted]) => (counted ? hear(counted as Counted) : keep()),
          lost: keep,
        }
      },
    },
  }
}
