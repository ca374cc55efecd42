import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, isRefusal } from '../../shared/http/errors.ts'
import type { AgentId } from '../../shared/ids.ts'
import { forgetPassages } from '../../shared/retrieval/statement/kept-passages.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { Cache } from './cache.ts'
import { emptyKnowledge, type Knowledge, Update, withoutDocuments } from './knowledge.ts'
import { digestOf, readPart } from './parts.ts'
import type { Service } from './service.ts'

/** The service looks a key up again after a wait, so it refuses a revoked one within 30 seconds. */
const waitSeconds = 20
/** The time to send a part. */
const patienceMilliseconds = 60_000
const maxPauseSeconds = 10
const maxCacheMilliseconds = 24 * 60 * 60 * 1000

/** What is known of an agent, as it is followed. */
export interface Followed {
  /** Replaced as a whole by a newer version. */
  knowledge: Knowledge
  /** When the service last said that this is all, by `performance.now()`; -Infinity before the first time. */
  confirmedAt: number
  keepsQuestions: boolean
  /** The error with which the service refuses the key or the agent: from then on nothing is answered. */
  refusal: ApiError | undefined
  /** Why the last request failed; undefined if it didn't. */
  failure: unknown
}

/**
 * Loads an agent from the cache, or else from the service, and follows its changes until the signal aborts.
 * @throws ApiError as the service answers; Unavailable if there is nothing in the cache and the service can't be reached
 */
export async function follow(
  agentId: AgentId,
  service: Service,
  cache: Cache | undefined,
  signal: AbortSignal,
): Promise<Followed> {
  const followed: Followed = {
    knowledge: emptyKnowledge(agentId),
    confirmedAt: -Infinity,
    keepsQuestions: false,
    refusal: undefined,
    failure: undefined,
  }
  /** Bytes of the whole snapshot, and of the changes since. */
  let bytes = { whole: 0, changes: 0 }

  async function load(bodies: readonly Uint8Array[]): Promise<void> {
    const update = new Update()
    for (const body of bodies) update.add(await readPart(body))
    followed.knowledge = update.applyTo(emptyKnowledge(agentId))
    bytes = { whole: sizeOf(bodies), changes: 0 }
  }

  /** @param since undefined for a whole snapshot */
  async function update(since: number | undefined, wait: number): Promise<void> {
    const bodies: Uint8Array[] = []
    const update = new Update()
    let query = since === undefined ? '' : `?since=${since}&wait=${wait}`
    for (let isLast = false; !isLast; ) {
      const milliseconds = wait * 1000 + patienceMilliseconds
      const response = await service.get(`/knowledge-base/snapshot${query}`, milliseconds, signal)
      followed.keepsQuestions = response.headers.get('cuecard-keeps-questions') === 'true'
      if (response.status === 304) break
      const body = new Uint8Array(await response.arrayBuffer())
      if (response.headers.get('content-digest') !== `sha-256=:${digestOf(body, 'base64')}:`)
        throw new Unavailable('cuecard', new Error('A part of the snapshot was damaged on its way'))
      const read = await readPart(body)
      followed.knowledge = withoutDocuments(followed.knowledge, read.part.removed)
      update.add(read)
      bodies.push(body)
      const { next_cursor: next } = read.part
      isLast = next === null
      query = `?cursor=${next}`
    }
    followed.confirmedAt = performance.now()
    followed.failure = undefined
    if (bodies.length === 0) return
    const isWhole = since === undefined
    // A database that was restored may have another text at the same version.
    if (isWhole) forgetPassages()
    followed.knowledge = update.applyTo(isWhole ? emptyKnowledge(agentId) : followed.knowledge)
    bytes = isWhole ? { whole: sizeOf(bodies), changes: 0 } : { ...bytes, changes: bytes.changes + sizeOf(bodies) }
    await cache?.add(bodies, isWhole)
  }

  async function followChanges(): Promise<void> {
    let failures = 0
    let isExpired = false
    while (!signal.aborted) {
      try {
        // The cache has all changes since the whole snapshot, which is smaller by then, and texts that were deleted since.
        const isLong = cache && (bytes.changes > bytes.whole || Date.now() - cache.loadedAt > maxCacheMilliseconds)
        const since = isExpired || isLong ? undefined : followed.knowledge.index.version
        // What the cache has is confirmed at once, and so is it after a failure: the service may have no room for those that wait.
        await update(since, failures > 0 || followed.confirmedAt === -Infinity ? 0 : waitSeconds)
        isExpired = false
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        followed.failure = error
        if (error instanceof ApiError && isRefusal(error)) {
          followed.refusal = error
          await cache?.remove()
          return
        }
        isExpired = error instanceof ApiError && error.code === 'snapshot_expired'
        if (!isExpired)
          await sleep(pauseAfter(error, failures++) * 1000, undefined, { ref: false, signal }).catch(() => {})
      }
    }
  }

  const stored = await cache?.read()
  if (stored) await load(stored)
  else await update(undefined, 0)
  void followChanges()
  return followed
}

/** The seconds before the next request: those that the service asks for, or more and more. */
function pauseAfter(error: unknown, failures: number): number {
  const ofLimit = error instanceof ApiError ? Number(error.headers['retry-after']) : 0
  const asked = error instanceof Unavailable ? error.retryAfterSeconds : ofLimit
  return Math.max(asked || 0, Math.min(maxPauseSeconds, 0.5 * 2 ** failures))
}

function sizeOf(bodies: readonly Uint8Array[]): number {
  return bodies.reduce((sum, { length }) => sum + length, 0)
}
