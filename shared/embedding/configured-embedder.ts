import { type Config, config } from '../config.ts'
import { beginEarly } from '../loading.ts'
import { secret } from '../secrets.ts'
import type { Embedder } from './embedder.ts'
import { encoderEmbedder } from './encoder-embedder.ts'
import { lexicalEmbedder } from './lexical-embedder.ts'
import { openAiEmbedder } from './openai-embedder.ts'

export const defaultModel = 'text-embedding-3-small'

/** What the settings say of one model, in the form of `EMBEDDING_…`. */
export type ModelSettings = Pick<Config, `EMBEDDING_${'BASE_URL' | 'MODEL' | 'API_KEY' | 'SECRET'}`> &
  Pick<Config, `EMBEDDING_${'QUERY' | 'DOCUMENT'}_PREFIX`>

/**
 * An embedder of our own without a provider; on AWS the encoder, or provider and key. With the previous one, if `PREVIOUS_EMBEDDING_…` name
 * it. @throws Error when a setting is missing
 */
export function configuredEmbedder(): Embedder {
  const settings = config()
  const embedder = embedderOfSettings(settings)
  if (!settings.PREVIOUS_EMBEDDING_MODEL) return embedder
  const previous = embedderOfSettings({
    EMBEDDING_BASE_URL: settings.PREVIOUS_EMBEDDING_BASE_URL,
    EMBEDDING_MODEL: settings.PREVIOUS_EMBEDDING_MODEL,
    EMBEDDING_API_KEY: settings.PREVIOUS_EMBEDDING_API_KEY,
    EMBEDDING_SECRET: settings.PREVIOUS_EMBEDDING_SECRET,
    EMBEDDING_QUERY_PREFIX: settings.PREVIOUS_EMBEDDING_QUERY_PREFIX,
    EMBEDDING_DOCUMENT_PREFIX: settings.PREVIOUS_EMBEDDING_DOCUMENT_PREFIX,
  })
  return previous.model === embedder.model ? embedder : { ...embedder, previous }
}

function embedderOfSettings({
  EMBEDDING_BASE_URL,
  EMBEDDING_MODEL,
  EMBEDDING_API_KEY,
  EMBEDDING_SECRET,
  EMBEDDING_QUERY_PREFIX,
  EMBEDDING_DOCUMENT_PREFIX,
}: ModelSettings): Embedder {
  const { AWS_LAMBDA_FUNCTION_NAME, EMBEDDING_TIMEOUT_SECONDS } = config()
  if (!EMBEDDING_BASE_URL && EMBEDDING_MODEL === 'encoder') {
    const embedder = encoderEmbedder()
    if (AWS_LAMBDA_FUNCTION_NAME) beginEarly(embedder.embed(['hello'], { of: 'query' }))
    return embedder
  }
  if (!EMBEDDING_BASE_URL && AWS_LAMBDA_FUNCTION_NAME)
    throw new Error(
      'EMBEDDING_BASE_URL is not set: set it to the address of the embedding provider, such as https://api.openai.com/v1',
    )
  if (!EMBEDDING_BASE_URL) return lexicalEmbedder()
  const hasKey = EMBEDDING_API_KEY !== undefined || EMBEDDING_SECRET !== undefined
  if (!hasKey && AWS_LAMBDA_FUNCTION_NAME)
    throw new Error('EMBEDDING_SECRET is not set: set it to the secret that holds the key of the embedding provider')
  return openAiEmbedder({
    baseUrl: EMBEDDING_BASE_URL,
    model: EMBEDDING_MODEL ?? defaultModel,
    apiKey: hasKey ? secret({ value: EMBEDDING_API_KEY, id: EMBEDDING_SECRET }) : () => '',
    timeoutSeconds: EMBEDDING_TIMEOUT_SECONDS,
    queryPrefix: EMBEDDING_QUERY_PREFIX,
    documentPrefix: EMBEDDING_DOCUMENT_PREFIX,
  })
}
