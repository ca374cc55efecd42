import { config } from './config.ts'
import type { Embedder } from './embedder.ts'
import { lexicalEmbedder } from './lexical-embedder.ts'
import { openAiEmbedder } from './openai-embedder.ts'
import { secret } from './secrets.ts'

/** The embedder that the environment asks for: an OpenAI-compatible provider, or without one the lexical embedder. */
export function configuredEmbedder(): Embedder {
  const { EMBEDDING_BASE_URL, EMBEDDING_MODEL, EMBEDDING_API_KEY, EMBEDDING_SECRET_ARN, EMBEDDING_TIMEOUT_SECONDS } =
    config()
  if (!EMBEDDING_BASE_URL) return lexicalEmbedder()
  return openAiEmbedder({
    baseUrl: EMBEDDING_BASE_URL,
    model: EMBEDDING_MODEL,
    apiKey: secret({ value: EMBEDDING_API_KEY, arn: EMBEDDING_SECRET_ARN }),
    timeoutSeconds: EMBEDDING_TIMEOUT_SECONDS,
  })
}
