import { type Embedder, EmbeddingError } from './embedder.ts'

const seconds = 10

/** Embeds one word. @returns what is wrong with the provider or our settings, or undefined */
export async function checkEmbedder(embedder: Embedder): Promise<string | undefined> {
  try {
    await embedder.embed(['hello'], { timeoutSeconds: seconds })
    return undefined
  } catch (error) {
    if (error instanceof EmbeddingError) return error.message
    throw error
  }
}
