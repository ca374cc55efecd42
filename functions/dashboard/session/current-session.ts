import type { Context } from 'hono'
import { BoundedMap } from '../../../shared/bounded-map.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import { websiteAddress } from '../../../shared/http/api.ts'
import { unknownCredentials } from '../../../shared/http/unknown-credentials.ts'
import { findSession, type Session } from '../../../shared/organizations/sessions.ts'
import { steadyNow } from '../../../shared/time/steady-clock.ts'
import { sentToken } from './cookies.ts'

const tokenPattern = /^[\w-]{43}$/
const maxKnown = 10_000

export type CurrentSession = (c: Context<ApiEnv>) => Promise<Session | undefined>

/** Looks up the session of every request's cookie. Keys' sessions need `keySignIn`. @throws ApiError rate_limited for too many unknown tokens */
export function currentSession(db: Database, keySignIn: boolean, now: () => number = steadyNow): CurrentSession {
  const known = new BoundedMap<string, true>(maxKnown)
  const unknown = unknownCredentials(now)

  return async function find(c) {
    const token = sentToken(c)
    if (token === undefined || !tokenPattern.test(token) || unknown.has(token)) return undefined
    if (!known.has(token)) unknown.requireLookup(websiteAddress(c))
    const found = await findSession(db, token)
    const session = keySignIn || found?.person ? found : undefined
    if (session) known.set(token, true)
    else {
      known.delete(token)
      unknown.add(token, websiteAddress(c))
    }
    return session
  }
}
