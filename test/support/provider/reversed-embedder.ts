import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'

/** Two models that find the same, and whose vectors have nothing to do with each other: the second one's are the first one's, backwards. */
export function twoModels(fail: (model: string) => void = () => {}) {
  const lexical = lexicalEmbedder()
  const calls: { model: string; texts: string[] }[] = []
  const named = (model: string, isReversed: boolean): Embedder => ({
    model,
    async embed(texts) {
      fail(model)
      calls.push({ model, texts })
      const vectors = await lexical.embed(texts)
      return isReversed ? vectors.map((vector) => vector.toReversed()) : vectors
    },
  })
  const [first, second] = [named('first', false), named('second', true)]
  return {
    first,
    second,
    calls,
    changing: { ...second, previous: first } as Embedder,
    returning: { ...first, previous: second } as Embedder,
  }
}
