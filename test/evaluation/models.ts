import { CommandError } from '../../infra/command-line/command-error.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { encoderEmbedder } from '../../shared/embedding/encoder-embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { normalize } from '../../shared/embedding/vectors.ts'

export interface ModelOptions {
  /** `encoder`, `lexical`, or the base URL of a provider; by default the environment's setting. */
  model?: string
  floor?: string
}

/** The embedder to measure. @throws CommandError */
export function embedderOf({ model, floor }: ModelOptions): Embedder {
  const embedder = modelOf(model)
  if (floor === undefined) return embedder
  if (!(Number(floor) > 0 && Number(floor) < 1)) throw new CommandError(`--floor must be between 0 and 1, not ${floor}`)
  return withFloor(embedder, Number(floor))
}

function modelOf(model: string | undefined): Embedder {
  if (model === 'encoder') return encoderEmbedder()
  if (model === 'lexical') return lexicalEmbedder()
  if (model && !URL.canParse(model))
    throw new CommandError(`--model must be encoder, lexical or the URL of a provider, not ${model}`)
  if (model) process.env.EMBEDDING_BASE_URL = model
  return configuredEmbedder()
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
