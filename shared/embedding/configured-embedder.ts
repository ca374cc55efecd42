import { secret } from '../aws/secrets.ts'
import { config } from '../config.ts'
import { beginEarly } from '../loading.ts'
import { describeError, log } from '../telemetry/log.ts'
import type { Embedder } from './embedder.ts'
import { encoderEmbedder } from './encoder-embedder.ts'
import { lexicalEmbedder } from './lexical-embedder.ts'
import { openAiEmbedder } from './openai-embedder.ts'

export const defaultModel = 'text-embedding-3-small'

/**
 * The configured provider's embedder, or one of our own; AWS requires a provider with its key, or the encoder. `previous` is set if
 * `PREVIOUS_EMBEDDING_…` name another model. @throws Error when a setting is missing
 */
export function configuredEmbedder(): Embedder {
  const embedder = embedderOf('EMBEDDING')
  if (!config().PREVIOUS_EMBEDDING_MODEL) return embedder
  const previous = embedderOf('PREVIOUS_EMBEDDING')
  return previous.model === embedder.model ? embedder : { ...embedder, previous }
}

/** @param prefix of the settings that name the model */
function embedderOf(prefix: 'EMBEDDING' | 'PREVIOUS_EMBEDDING'): Embedder {
  const settings = config()
  const { AWS_LAMBDA_FUNCTION_NAME, EMBEDDING_TIMEOUT_SECONDS } = settings
  const baseUrl = settings[`${prefix}_BASE_URL`]
  const model = settings[`${prefix}_MODEL`]
  if (!baseUrl && model === 'encoder') {
    const embedder = encoderEmbedder((error) => log.error('encoder_stopped', { error: describeError(error) }))
    if (AWS_LAMBDA_FUNCTION_NAME) beginEarly(embedder.embed(['hello'], { of: 'query' }))
    return embedder
  }
  if (!baseUrl && AWS_LAMBDA_FUNCTION_NAME)
    throw new Error(
      'EMBEDDING_BASE_URL is not set: set it to the address of the embedding provider, such as https://api.openai.com/v1',
    )
  if (!baseUrl) return lexicalEmbedder()
  const key = { value: settings[`${prefix}_API_KEY`], id: settings[`${prefix}_SECRET`] }
  const hasKey = key.value !== undefined || key.id !== undefined
  if (!hasKey && AWS_LAMBDA_FUNCTION_NAME)
    throw new Error('EMBEDDING_SECRET is not set: set it to the secret that holds the key of the embedding provider')
  return openAiEmbedder({
    baseUrl,
    model: model ?? defaultModel,
    apiKey: hasKey ? secret(key) : () => '',
    timeoutSeconds: EMBEDDING_TIMEOUT_SECONDS,
    queryPrefix: settings[`${prefix}_QUERY_PREFIX`],
    documentPrefix: settings[`${prefix}_DOCUMENT_PREFIX`],
  })
}
