import { expect } from 'vitest'
import { EmbeddingError } from '../../../shared/embedding/embedder.ts'
import { openAiEmbedder, type Provider } from '../../../shared/embedding/openai-embedder.ts'
import { useFakeProvider } from './fake-provider.ts'

export const apiKey = 'sk-canary-9f2c81d7aa'

/** A provider of the test file, and embedders that ask it. */
export function useAskingEmbedder() {
  const provider = useFakeProvider()
  const asking = { model: 'text-embedding-3-small', apiKey: () => apiKey, timeoutSeconds: 10 }
  const embedder = (more: Partial<Provider> = {}) => openAiEmbedder({ ...asking, baseUrl: provider.baseUrl, ...more })
  return { provider, embedder }
}

export async function fault(promise: Promise<unknown>): Promise<EmbeddingError> {
  const error = await promise.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(EmbeddingError)
  return error as EmbeddingError
}
