import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { agentNotFound } from '../../shared/http/not-found.ts'
import { findVersion } from './read-part.ts'

const everyMilliseconds = 1000
/** The limit is for a process that serves many requests at once, as locally: a Lambda’s instance has one. */
const maxWaiting = 200

/** Waits for newer versions. All that wait for an agent share one look a second. */
export function versionWatch() {
  const looks = new Map<string, Promise<number>>()
  let waiting = 0

  async function look(db: Database, scope: AgentScope): Promise<number> {
    const { agents } = await db.batch({ agents: findVersion(scope) })
    return (agents[0] ?? agentNotFound()).version
  }

  function nextLook(db: Database, scope: AgentScope): Promise<number> {
    const name = `${scope.organizationId} ${scope.agentId}`
    const next =
      looks.get(name) ??
      sleep(everyMilliseconds)
        .then(() => look(db, scope))
        .finally(() => looks.delete(name))
    looks.set(name, next)
    return next
  }

  /** @returns another version than the known one as soon as there is one, or the known one. @throws ApiError agent_not_found; Unavailable */
  return async (db: Database, scope: AgentScope, known: number | undefined, seconds: number): Promise<number> => {
    const until = performance.now() + seconds * 1000
    let version = await look(db, scope)
    if (version !== known || seconds === 0) return version
    if (waiting >= maxWaiting)
      throw new ApiError('temporarily_unavailable', 'Too many programs wait for changes. Ask again without `wait`.', {
        headers: { 'retry-after': '5' },
      })
    waiting++
    try {
      while (version === known && performance.now() < until) version = await nextLook(db, scope)
      return version
    } finally {
      waiting--
    }
  }
}
