import { neonConfig } from '@neondatabase/serverless'
import { afterEach } from 'vitest'
import { listen } from '../http/loopback.ts'

/**
 * When a connection is cut. `unopened`: nobody listens; `before`: the statement never arrives; `after`: it takes effect, and its
 * answer is lost; `within`: it takes effect, and its answer is reset in mid-body.
 */
export type Cut = 'unopened' | 'before' | 'after' | 'within'

/** The statements of the pipeline, by a text unique to each. */
export const statements = {
  claim: /pending_milliseconds/,
  part: /insert into vectors (?!.*\\"completed\\" as \()/,
  commit: /\\"completed\\" as \(/,
  search: /read_agent\(/,
  requeue: /\\"next_attempt_at\\" = now\(\) \+/,
  fail: /"error"/,
  leaveToSweeper: /set resend_at = now\(\) from/,
  updateDocument: /\\"changed\\" as \(/,
  createDocument: /insert into documents /,
}

/** Stands between this process and the database, and cuts connections as a script says. */
export function useFaultyConnection() {
  let cuts: { matching: RegExp; when: Cut }[] = []
  let intrusions: { matching: RegExp; act: () => Promise<unknown> }[] = []

  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    const intrusion = intrusions.find(({ matching }) => matching.test(String(init.body)))
    if (intrusion) intrusions = intrusions.filter((other) => other !== intrusion)
    await intrusion?.act()
    const cut = cuts.find(({ matching }) => matching.test(String(init.body)))
    if (cut) cuts = cuts.filter((other) => other !== cut)
    if (cut?.when === 'before') throw new TypeError('fetch failed')
    if (cut?.when === 'unopened') return await fetch(await closedOrigin(), init)
    const response = await fetch(url, init)
    if (!cut) return response
    const body = await response.text()
    if (cut.when === 'within') return await resetInMidBody(body)
    throw new TypeError('fetch failed')
  }
  afterEach(() => {
    cuts = []
    intrusions = []
  })

  return {
    /** Cuts the connection of the next statement or batch that matches, or of the next so many. */
    cut(when: Cut, matching: RegExp, times = 1) {
      for (let i = 0; i < times; i++) cuts.push({ when, matching })
    },
    /** Cuts like `cut`; then the worker gets no connection, neither to repeat the statement nor to requeue its document. */
    lose(when: Cut, matching: RegExp) {
      for (const each of [matching, statements.requeue])
        cuts.push({ when, matching: each }, { when: 'before', matching: each })
    },
    /** Cuts that no statement has met yet. */
    get unmet() {
      return cuts.length
    },
    /** Acts just before the next statement or batch that matches. */
    before(matching: RegExp, act: () => Promise<unknown>) {
      intrusions.push({ matching, act })
    },
  }
}

async function closedOrigin(): Promise<string> {
  const { origin, close } = await listen(() => {})
  await close()
  return origin
}

async function resetInMidBody(body: string): Promise<Response> {
  const { origin, close } = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.write(body.slice(0, body.length / 2))
  })
  const response = await fetch(origin)
  await close()
  return response
}
