import { CommandError } from '../../infra/admin/command-error.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { normalize } from '../../shared/embedding/vectors.ts'

export interface ModelOptions {
  /** `lexical`, or the base URL of a provider; by default what the environment configures. */
  model?: string
  floor?: string
}

/** The embedder to measure. @throws CommandError */
export function embedderOf({ model, floor }: ModelOptions): Embedder {
  if (model && model !== 'lexical' && !URL.canParse(model))
    throw new CommandError(`--model must be lexical or the URL of a provider, not ${model}`)
  if (model && model !== 'lexical') process.env.EMBEDDING_BASE_URL = model
  const embedder = model === 'lexical' ? lexicalEmbedder() : configuredEmbedder()
  if (floor === undefined) return embedder
  if (!(Number(floor) > 0 && Number(floor) < 1)) throw new CommandError(`--floor must be between 0 and 1, not ${floor}`)
  return withFloor(embedder, Number(floor))
}

/** A model whose cosines begin at `floor`, as those of E5, GTE and BGE do: cosine c becomes floor + (1 − floor) · c. */
function withFloor(embedder: Embedder, floor: number): Embedder {
  const raised = (vector: Float32Array) => {
    const rest = normalize(vector.with(0, 0).with(1, vector[1]! + vector[0]!))
    return rest.map((number, i) => (i === 0 ? Math.sqrt(floor) : number * Math.sqrt(1 - floor)))
  }
  return {
    ...embedder,
    model: `${embedder.model}, floor ${floor}`,
    embed: async (...call) => (await embedder.embed(...call)).map(raised),
  }
}
