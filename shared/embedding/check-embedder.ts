import { type Embedder, EmbeddingError } from './embedder.ts'

const seconds = 10

/** Embeds one word. @returns what is wrong with the provider or with our settings of it, in words; undefined if nothing is */
export async function checkEmbedder(embedder: Embedder): Promise<string | undefined> {
  try {
    await embedder.embed(['hello'], { timeoutSeconds: seconds })
    return undefined
  } catch (error) {
    if (error instanceof EmbeddingError) return error.message
    throw error
  }
}
