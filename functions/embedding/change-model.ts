import { embeddedText, vectorIdOf } from '../../shared/chunking/chunker.ts'
import type { Database } from '../../shared/database/database.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { embedderOf } from '../../shared/embedding/serving-embedder.ts'
import type { DocumentId } from '../../shared/ids.ts'
import { ChecksFail } from '../../shared/knowledge/commit.ts'
import { switchModel } from '../../shared/knowledge/switch-model.ts'
import { findTokensLeft, releaseTokens, reserveTokens, TokensUsedUp } from '../../shared/limits/tokens.ts'
import { log } from '../../shared/telemetry/log.ts'
import { idsOf, type Message } from '../../shared/work/message.ts'
import { enqueue } from '../../shared/work/outbox.ts'
import { type CallLimits, tokensOf } from './batches.ts'
import { ChunkRejected, embedMissing } from './embed-missing.ts'
import {
  deleteFormer,
  findChange,
  findInTheWay,
  findPage,
  type Place,
  storeOther,
  type UnembeddedChunk,
  type Waiting,
  waitWith,
} from './model-store.ts'
import type { Pipeline } from './process-document.ts'
import type { Missing } from './revision-plan.ts'

/** The time left below which no page of chunks begins. */
const lastPageMilliseconds = 30_000
const cancelMilliseconds = 10_000
const retrySeconds = 60
/** The wait before another look at an obstacle that only a person can remove. */
const lookAgainSeconds = 600
/** The part of a day's tokens that is left to documents and questions. */
const reservedShare = 0.2

type Outcome = 'switched' | 'nothing_to_do' | 'out_of_time' | Waiting

interface Change extends Pipeline {
  scope: AgentScope
  next: Embedder
  remaining: () => number
}

/**
 * Embeds an agent's chunks for its next model, page by page, until the time is up, and changes the agent when all have a vector. Deletes
 * the vectors of a former model whose time is over. Messages may be lost, doubled or late, so every step reads the rows.
 */
export async function changeModel(
  pipeline: Pipeline,
  message: Message<'agent'>,
  remaining: () => number,
): Promise<undefined> {
  const { organizationId, id: agentId } = message
  const db = pipeline.db.forOrganization(organizationId)
  const scope = { organizationId, agentId }
  const outcome = await advance({ ...pipeline, db, scope, remaining })
  if (outcome === 'nothing_to_do') return
  if (outcome === 'switched') return void log.info('model_changed', idsOf(message))
  if (outcome === 'out_of_time') {
    // Keeps the sweeper from sending a second message beside this one.
    await waitWith(db, scope, { reason: null, seconds: lookAgainSeconds })
    return void (await enqueue({ db, queue: pipeline.queue }, message))
  }
  await waitWith(db, scope, outcome)
  log.warn('model_change_waits', { ...idsOf(message), ...outcome })
}

async function advance(change: Omit<Change, 'next'>): Promise<Outcome> {
  const { db, embedder, scope, remaining } = change
  for (;;) {
    const models = await findChange(db, scope)
    if (!models || (models.next_model === null && !models.is_over)) return 'nothing_to_do'
    if (remaining() < lastPageMilliseconds) return 'out_of_time'
    if (models.former_model !== null) {
      await deleteFormer(db, scope, models.former_model)
      continue
    }
    const next = embedderOf(embedder, models.next_model!)
    if (!next) return { reason: `The settings do not name the model ${models.next_model}.`, seconds: lookAgainSeconds }
    try {
      const outcome = await embedAll({ ...change, next })
      if (outcome) return outcome
    } catch (error) {
      if (error instanceof TokensUsedUp) return { reason: error.message, seconds: Math.min(error.seconds, 3600) }
      if (error instanceof ChecksFail) return { reason: error.summary, seconds: lookAgainSeconds }
      if (error instanceof EmbeddingError)
        return { reason: error.message, seconds: error.retryAfterSeconds ?? retrySeconds }
      throw error
    }
  }
}

/**
 * Embeds from the first page to the last, and then the chunks that came meanwhile. Leaves out documents with a chunk that the provider rejects.
 * @returns undefined if the agent cannot change now: there are new chunks, or another run has changed it
 */
async function embedAll(change: Change): Promise<Outcome | undefined> {
  const { db, scope, next, remaining } = change
  const rejected = new Map<DocumentId, string>()
  let after: Place | undefined
  let isFirst = true
  while (remaining() > lastPageMilliseconds) {
    const page = await findPage(db, scope, after, [...rejected.keys()])
    if (page.length > 0) {
      const ending = await embedPage(change, page, rejected)
      if (ending !== 'stored') return 'out_of_time'
      after = page.at(-1)
      isFirst = false
      continue
    }
    if (!isFirst) {
      isFirst = true
      after = undefined
      continue
    }
    const waiting = await findObstacle(db, scope, next.model, rejected)
    if (waiting) return waiting
    const { organizationId } = scope
    const outcome = await switchModel(db, scope, {
      embedder: next,
      reserveTokens: (tokens) => reserveTokens(db, organizationId, tokens),
      releaseTokens: (tokens) => releaseTokens(db, organizationId, tokens),
    })
    return outcome === 'outdated' ? undefined : outcome
  }
  return 'out_of_time'
}

async function findObstacle(
  db: Database,
  scope: AgentScope,
  model: string,
  rejected: ReadonlyMap<DocumentId, string>,
): Promise<Waiting | undefined> {
  for (const [id, message] of rejected)
    return { reason: `${model} rejects a chunk of the document ${id}: ${message}`, seconds: lookAgainSeconds }
  const ids = await findInTheWay(db, scope)
  if (ids.length === 0) return undefined
  const reason = `Chunks of your own have no embedding of ${model}: upload them again with it and its name as embedding_model, or let the service embed the documents ${ids.join(', ')}.`
  return { reason, seconds: lookAgainSeconds }
}

async function embedPage(change: Change, page: UnembeddedChunk[], rejected: Map<DocumentId, string>) {
  const { db, scope, next, semaphore, remaining } = change
  const { organizationId } = scope
  const missing = new Map<string, Missing>()
  for (const chunk of page) {
    const text = embeddedText(chunk.title, chunk)
    const vectorId = vectorIdOf(text, next.model)
    const same = missing.get(vectorId)
    if (same) same.chunks.push(chunk)
    else missing.set(vectorId, { vectorId, text, chunks: [chunk] })
  }
  try {
    return await embedMissing([...missing.values()], {
      embedder: next,
      semaphore,
      limits: limitsOf(change),
      mayCall: () => remaining() > lastPageMilliseconds,
      async reserve(call) {
        const [tokens] = (await db.batch({ tokens: findTokensLeft(organizationId) })).tokens
        if (tokens && Number(tokens.left) < reservedShare * Number(tokens.per_day))
          throw new TokensUsedUp(tokens.per_day, retrySeconds * 10)
        await reserveTokens(db, organizationId, tokensOf(call))
      },
      release: (call) => releaseTokens(db, organizationId, tokensOf(call)),
      signal: AbortSignal.timeout(Math.max(0, Math.floor(remaining()) - cancelMilliseconds)),
      store: (embedded) => storeOther(db, scope, next.model, embedded),
    })
  } catch (error) {
    if (!(error instanceof ChunkRejected)) throw error
    for (const chunk of error.missing.chunks as UnembeddedChunk[]) rejected.set(chunk.document_id, error.message)
    return 'stored'
  }
}

function limitsOf({ callLimits, next }: Change): CallLimits {
  return next.isLocal ? { ...callLimits, inputs: Math.min(callLimits.inputs, 32) } : callLimits
}
