import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from './api.ts'

type Clock = { now(): number }

type Part = 'embed' | 'db'

/** When a request arrived, and how long each of its parts ran, in milliseconds; parallel calls of a part count once. */
export interface Timing {
  readonly arrivedAt: number
  readonly spent: Readonly<Record<Part, number>>
  measure<Result>(part: Part, act: () => Promise<Result>): Promise<Result>
}

export function startTiming(clock: Clock): Timing {
  const spent: Record<Part, number> = { embed: 0, db: 0 }
  const running: Record<Part, number> = { embed: 0, db: 0 }
  const started: Record<Part, number> = { embed: 0, db: 0 }
  return {
    arrivedAt: clock.now(),
    spent,
    async measure(part, act) {
      if (running[part]++ === 0) started[part] = clock.now()
      try {
        return await act()
      } finally {
        if (--running[part] === 0) spent[part] += clock.now() - started[part]
      }
    },
  }
}

const timings = new WeakMap<Request, Timing>()

/** Adds `Server-Timing` to every response, errors included. */
export function serverTiming(clock: Clock): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const timing = startTiming(clock)
    timings.set(c.req.raw, timing)
    await next()
    const durations = Object.entries(timing.spent).map(
      ([part, milliseconds]) => `${part};dur=${milliseconds.toFixed(1)}`,
    )
    c.header('server-timing', durations.join(', '))
  }
}

export function timingOf(c: Context<ApiEnv>): Timing {
  return timings.get(c.req.raw)!
}
