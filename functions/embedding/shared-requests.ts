import { semaphore as newSemaphore, type Semaphore } from '../../shared/concurrency/semaphore.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Claimant } from '../../shared/documents/processing/attempt.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { reserveTokens, TokensUsedUp } from '../../shared/limits/tokens.ts'
import type { CallLimits } from './batches.ts'
import { claimRevisions, type RevisionClaim } from './claim.ts'
import { coalesceRequests } from './coalesce-requests.ts'
import { textsPerPart } from './revision-store.ts'
import { type Completion, completeRevisions, type LastPart } from './stored-chunks.ts'

export interface SharedRequests {
  claim: (claimant: Claimant) => Promise<RevisionClaim | undefined>
  reserve: (spending: Spending) => Promise<void>
  /** An embedder that joins the requests of documents which need a single request each, of the same model. */
  embedderFor: (embedder: Embedder) => Embedder
  complete: (last: LastPart) => Promise<Completion>
  /** Lets the checks of one document after the other be asked. */
  turns: Semaphore
}

interface Spending {
  organizationId: OrganizationId
  tokens: number
}

interface Sources {
  db: Database
  embedder: Embedder
  semaphore: Semaphore
  callLimits: CallLimits
}

export function sharedRequests({ db, embedder, semaphore, callLimits }: Sources): SharedRequests {
  const [current, previous] = [embedder, embedder.previous].map(
    (each) => each && sharedEmbedder(each, semaphore, callLimits),
  )
  return {
    claim: coalesceRequests<Claimant, RevisionClaim | undefined>({
      mayJoin: (group, { organizationId }) => group[0]!.organizationId === organizationId,
      request: (claimants) => claimRevisions(db.forOrganization(claimants[0]!.organizationId), claimants),
    }),
    reserve: coalesceRequests<Spending, void>({
      mayJoin: (group, spending) =>
        group[0]!.organizationId === spending.organizationId &&
        sumOf([...group, spending], ({ tokens }) => tokens) <= callLimits.tokens,
      async request(spendings) {
        const { organizationId } = spendings[0]!
        await reserveTokens(
          db.forOrganization(organizationId),
          organizationId,
          sumOf(spendings, ({ tokens }) => tokens),
        )
        return spendings.map(() => undefined)
      },
      concernsAll: (error) => error instanceof TokensUsedUp,
    }),
    embedderFor: ({ model }) => (model === current!.model ? current! : previous!),
    complete: coalesceRequests<LastPart, Completion>({
      mayJoin: (group, part) =>
        !group[0]!.permit.hasVerdict &&
        !part.permit.hasVerdict &&
        group[0]!.claim.organizationId === part.claim.organizationId &&
        group[0]!.claim.agentId === part.claim.agentId &&
        group[0]!.plan.model === part.plan.model &&
        sumOf([...group, part], ({ plan }) => plan.chunks.length) <= textsPerPart,
      request: (parts) => completeRevisions(db.forOrganization(parts[0]!.claim.organizationId), parts),
    }),
    turns: newSemaphore(1),
  }
}

interface Call {
  texts: string[]
  signal: AbortSignal | undefined
}

function sharedEmbedder(embedder: Embedder, semaphore: Semaphore, limits: CallLimits): Embedder {
  const embed = coalesceRequests<Call, Float32Array[]>({
    mayJoin: (group, call) => {
      const texts = [...group, call].flatMap((each) => each.texts)
      return texts.length <= limits.inputs && sumOf(texts, (text) => Buffer.byteLength(text)) <= limits.tokens
    },
    request: (calls) =>
      semaphore.run(async () => {
        const { signal } = calls[0]!
        const vectors = await embedder.embed(
          calls.flatMap((call) => call.texts),
          signal && { signal },
        )
        return calls.map(({ texts }) => vectors.splice(0, texts.length))
      }),
    concernsAll: (error) => error instanceof EmbeddingError && error.retryAfterSeconds !== undefined,
  })
  return { model: embedder.model, embed: (texts, { signal } = {}) => embed({ texts, signal }) }
}

function sumOf<Item>(items: Item[], numberOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0)
}
