import type { Embedder } from './embedder.ts'

/** Words and, in English, meaning; offline. Its code is loaded with the first call: most Lambdas are deployed without it. */
export function encoderEmbedder(): Embedder {
  return {
    model: 'encoder-1',
    isLocal: true,
    async embed(texts, options) {
      const { embedInWorker } = await import('./encoder/embed-in-worker.ts')
      return await embedInWorker(texts, options)
    },
  }
}
