import type { Embedder } from './embedder.ts'

/** Words and, in English, meaning; offline. Its code is loaded with the first call: most Lambdas are deployed without it. */
export function encoderEmbedder(): Embedder {
  return {
    model: 'encoder-1',
    isLocal: true,
    async embed(texts, options) {
      const { embedInWorkers } = await import('./encoder/workers.ts')
      return await embedInWorkers(texts, options)
    },
  }
}
