import type { Semaphore } from '../../shared/concurrency/semaphore.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { batches, type CallLimits } from './batches.ts'
import type { Missing } from './revision-plan.ts'
import type { Embedded } from './stored-chunks.ts'

export class ChunkRejected extends Error {
  readonly missing: Missing

  constructor(missing: Missing, cause: EmbeddingError) {
    super(cause.message, { cause })
    this.missing = missing
  }
}

export interface Embedding {
  embedder: Embedder
  semaphore: Semaphore
  limits: CallLimits
  mayCall: () => boolean
  /** Called before each request; an error ends all of them. */
  reserve: (call: Missing[]) => Promise<void>
  release: (call: Missing[]) => Promise<void>
  signal: AbortSignal
  store: (embedded: Embedded[]) => Promise<boolean>
}

type Ending = 'stored' | 'out_of_time' | 'lease_lost' | Error

/** Embeds texts and stores them. After any ending but `stored` no request begins; those in flight are still stored. @throws ChunkRejected, EmbeddingError, the errors of `store` */
export async function embedMissing(
  missing: Missing[],
  { embedder, semaphore, limits, mayCall, reserve, release, signal, store }: Embedding,
): Promise<Exclude<Ending, Error>> {
  let ending = 'stored' as Ending

  async function embed(call: Missing[]): Promise<Ending> {
    if (ending !== 'stored') return ending
    if (!mayCall()) return 'out_of_time'
    try {
      await reserve(call)
      const vectors = await embedder.embed(
        call.map(({ text }) => text),
        { signal },
      )
      return (await store(call.map((text, i) => ({ ...text, vector: vectors[i]! })))) ? 'stored' : 'lease_lost'
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error
      await release(call)
      if (error.reason !== 'input_rejected') return signal.aborted ? 'out_of_time' : error
      if (call.length === 1) return new ChunkRejected(call[0]!, error)
    }
    const middle = call.length >> 1
    const left = await embed(call.slice(0, middle))
    return left === 'stored' ? await embed(call.slice(middle)) : left
  }

  const calls: Promise<void>[] = []
  for (const call of batches(missing, limits)) {
    const freePermit = await semaphore.acquire()
    // Caught here, because an unhandled rejection would end the process.
    const done = embed(call)
      .catch((error: Error) => error)
      .then((each) => {
        ending = decisive(ending, each)
      })
    calls.push(done.finally(freePermit))
    if (ending !== 'stored') break
  }
  await Promise.all(calls)
  if (ending instanceof Error) throw ending
  return ending
}

function decisive(first: Ending, second: Ending): Ending {
  return precedence(second) > precedence(first) ? second : first
}

function precedence(ending: Ending): number {
  if (ending === 'lease_lost') return 5
  if (ending instanceof ChunkRejected) return 4
  if (ending instanceof Error) return ending instanceof EmbeddingError ? 2 : 3
  return ending === 'out_of_time' ? 1 : 0
}
