import { expect, test } from 'vitest'
import { providerTrouble } from '../../infra/local/banner.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { openAiEmbedder } from '../../shared/embedding/openai-embedder.ts'
import { type Line, useFakeProvider } from '../support/fake-provider.ts'

const provider = useFakeProvider()
const { signal } = new AbortController()
const ask = (...lines: Line[]) => {
  provider.script(lines, lines.at(-1))
  return providerTrouble(
    openAiEmbedder({ baseUrl: provider.baseUrl, model: 'm', apiKey: () => 'sk', timeoutSeconds: 10 }),
    signal,
  )
}

test('of a provider that works there is nothing to say, and the lexical embedder is not asked', async () => {
  expect(await ask('ok')).toBeUndefined()
  expect(await providerTrouble(lexicalEmbedder(), signal)).toBeUndefined()
  expect(provider.calls).toHaveLength(1)
})

test.each<[string, Line]>([
  ['401', { status: 401, body: '{"error":{"message":"Incorrect API key"}}' }],
  ['404', { status: 404, body: '{"error":{"message":"The model does not exist"}}' }],
  ['short_vector', 'short_vector'],
  ['not answered in 4 s', 'hang'],
])('%s is said on one line', async (_, line) => {
  expect(await ask(line)).toMatch(/^The [^\n]+[^.\n]$/)
})
