import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import type { Semaphore } from '../../shared/semaphore.ts'
import { batches, type CallLimits } from './batches.ts'
import { embeddedText } from './chunking/chunker.ts'
import type { Missing } from './stored-chunks.ts'

/** The provider will never embed this chunk's text. */
export class ChunkRejected extends Error {
  readonly missing: Missing

  constructor(missing: Missing, cause: EmbeddingError) {
    super(cause.message, { cause })
    this.missing = missing
  }
}

export interface Embedding {
  embedder: Embedder
  /** Bounds the calls in flight, those of all documents of this process together. */
  slots: Semaphore
  limits: CallLimits
  /** Whether there is time for another call. */
  mayCall: () => boolean
  /** Gives up the calls in flight. */
  signal: AbortSignal
  /** Keeps vectors by the hash of their text; false when they are no longer wanted. */
  store: (vectors: Map<string, Float32Array>) => Promise<boolean>
}

/**
 * Embeds the texts in as few calls as may be, several at once, and keeps the vectors of each as they come.
 * @returns how it ended: all are `stored`; they are no longer wanted (`void`); there was no time for all (`out_of_time`)
 * @throws ChunkRejected, EmbeddingError: after what was in flight has been kept
 */
export async function embedMissing(
  missing: Missing[],
  { embedder, slots, limits, mayCall, signal, store }: Embedding,
): Promise<'stored' | 'void' | 'out_of_time'> {
  const faults: unknown[] = []
  let isVoid = false
  let isLate = false

  const isOver = () => isLate || isVoid || faults.length > 0

  async function embed(call: Missing[]): Promise<void> {
    if (!mayCall()) isLate = true
    if (isOver()) return
    try {
      const texts = call.map(({ chunk }) => embeddedText(chunk))
      const vectors = await embedder.embed(texts, { signal })
      if (!(await store(new Map(call.map(({ hash }, i) => [hash, vectors[i]!]))))) isVoid = true
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.reason !== 'input_rejected') throw error
      if (call.length === 1) throw new ChunkRejected(call[0]!, error)
      const middle = call.length >> 1
      await embed(call.slice(0, middle))
      await embed(call.slice(middle))
    }
  }

  const running: Promise<void>[] = []
  for (const call of batches(missing, limits)) {
    const release = await slots.acquire()
    const run = embed(call)
      .catch((fault) => void faults.push(fault))
      .finally(release)
    running.push(run)
    if (isOver()) break
  }
  await Promise.all(running)

  if (isVoid) return 'void'
  const [fault] = [
    ...faults.filter((each) => each instanceof ChunkRejected),
    ...faults.filter((each) => !(each instanceof EmbeddingError)),
    ...faults,
  ]
  if (fault && !(signal.aborted && fault instanceof EmbeddingError)) throw fault
  return isLate || fault ? 'out_of_time' : 'stored'
}
