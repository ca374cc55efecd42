import type { Embedder } from './embedder.ts'
import type { ReportStop } from './encoder/embed-in-worker.ts'

/** Embeds words and, in English, meaning, offline. The first call loads its code: most Lambdas are deployed without it. */
export function encoderEmbedder(reportStop?: ReportStop): Embedder {
  return {
    model: 'encoder-1',
    isLocal: true,
    async embed(texts, options) {
      const { embedInWorker } = await import('./encoder/embed-in-worker.ts')
      return await embedInWorker(texts, options, reportStop)
    },
  }
}
