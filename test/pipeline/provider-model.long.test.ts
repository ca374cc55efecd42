import { describe, expect, test } from 'vitest'
import { checkChunkTokens, checkEmbedder } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { fault, useAskingEmbedder } from '../support/provider/asking-embedder.ts'
import type { ProviderCall } from '../support/provider/fake-provider.ts'
import { vectorOf, type Way } from '../support/provider/provider-responses.ts'

const { provider, embedder } = useAskingEmbedder()

const base64 = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64')
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * b[i]!, 0)

describe('a model', () => {
  const numbers = (count: number) => ({
    status: 200,
    body: JSON.stringify({ data: [{ index: 0, embedding: Array(count).fill(1) }] }),
  })
  const asked = () => provider.calls.map(({ dimensions }) => dimensions)

  test.each(['text-embedding-3-small', 'text-embedding-3-large', 'openai/text-embedding-3-large'])(
    '%s is asked for 1536 numbers',
    async (model) => {
      await embedder({ model }).embed(['one'])
      expect(asked()).toEqual([1536])
    },
  )

  test('of another name is asked for 1536 numbers only after it has returned more, and then always', async () => {
    const client = embedder({ model: 'own' })
    await client.embed(['one'])
    expect(asked()).toEqual([undefined])
    provider.script([], ({ dimensions }) => (dimensions ? 'ok' : numbers(3072)))
    const found = await Promise.all([client.embed(['two']), client.embed(['three'])])
    expect(found.map(([vector]) => vector!.length)).toEqual([1536, 1536])
    expect(await client.embed(['four'])).toHaveLength(1)
    expect(asked().slice(1).toSorted()).toEqual([1536, 1536, 1536, undefined, undefined])
  })

  test.each([
    ['gives 3072 again', () => numbers(3072)],
    ['rejects the request for 1536', (call: ProviderCall) => (call.dimensions ? ('rejected' as const) : numbers(3072))],
  ])('that gives 3072 numbers and %s is the wrong one, and the circuit breaker opens', async (_, line) => {
    const client = embedder({ model: 'own', now: () => 0 })
    provider.script([], line)
    const wrong = {
      reason: 'wrong_model',
      message:
        'The model own gives 3072 numbers, Cuecard stores 1536 at most: set EMBEDDING_MODEL to another, such as text-embedding-3-small',
    }
    expect(await fault(client.embed(['one']))).toMatchObject({ ...wrong, retryAfterSeconds: 15 })
    expect(await fault(client.embed(['two']))).toMatchObject({ ...wrong, retryAfterSeconds: 15 })
    expect(asked()).toEqual([undefined, 1536])
  })

  test.each([
    ['Ollama', 768, (vector: Float32Array) => [...vector], {}],
    ['text-embeddings-inference', 384, (vector: Float32Array) => [...vector], { usage: { total_tokens: 3 } }],
    ['vLLM', 1024, base64, { id: 'embd-1', created: 1, usage: { total_tokens: 3, completion_tokens: 0 } }],
    ['Mistral', 1024, (vector: Float32Array) => [...vector], { id: 'embd-1', usage: { prompt_audio_seconds: null } }],
    ['Voyage', 1024, base64, { usage: { total_tokens: 3 } }],
    ['Cohere', 1536, base64, { object: 'list', usage: { prompt_tokens: 3, total_tokens: 3 } }],
  ])(
    'of %s, which gives %i numbers, is accepted, and its vectors are filled up with zeros',
    async (_, count, encode, envelope) => {
      const given = [...'ab'].map((letter) => vectorOf(letter).map((_, i) => Math.sin(i * letter.charCodeAt(0))))
      const data = given.map((vector, index) => ({ index, embedding: encode(vector.slice(0, count)) }))
      provider.script([{ status: 200, body: JSON.stringify({ ...envelope, model: 'own', data }) }])
      const vectors = await embedder({ model: 'own' }).embed(['a', 'b'])
      expect(provider.calls.map(({ dimensions }) => dimensions)).toEqual([undefined])
      for (const vector of vectors) expect([...vector.subarray(count)]).toEqual(Array(1536 - count).fill(0))
      const [one, other] = given.map((vector) => vector.slice(0, count)) as [Float32Array, Float32Array]
      const cosine = dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
      expect(dot(vectors[0]!, vectors[1]!)).toBeCloseTo(cosine, 5)
    },
  )

  test('with prefixes gets them, and counts as another model with other prefixes', async () => {
    const client = embedder({ model: 'e5', queryPrefix: 'query: ', documentPrefix: 'passage: ' })
    await client.embed(['parking'], { of: 'query' })
    await client.embed(['Parking is free.'])
    expect(provider.calls.map(({ texts }) => texts)).toEqual([['query: parking'], ['passage: Parking is free.']])
    expect(new Set([client, embedder({ model: 'e5' })].map(({ model }) => model)).size).toBe(2)
  })

  test('is not the wrong one when the provider is busy as it is asked for 1536 numbers', async () => {
    provider.script([numbers(3072), 'too_many_requests'])
    expect(await fault(embedder({ model: 'own' }).embed(['one']))).toMatchObject({ reason: 'unavailable', status: 429 })
  })

  test.each([
    [404, '{"error":{"message":"Not there.","code":"model_not_found"}}', 'Not there'],
    [404, '{"error":"model \\"own\\" not found"}', 'model "own" not found'],
    [400, '{"message":"Invalid model: own","type":"invalid_model"}', 'Invalid model: own'],
  ])('that the provider does not have (%i, %s) is the wrong one', async (status, body, words) => {
    provider.script([], { status, body })
    expect(await fault(embedder({ model: 'own' }).embed(['one']))).toMatchObject({
      reason: 'wrong_model',
      status,
      message: `The embedding provider has no model own (status ${status}: ${words}): set EMBEDDING_MODEL to another, such as text-embedding-3-small`,
      retryAfterSeconds: 15,
    })
  })

  test('is not the wrong one when a single text gets a 404: the text is rejected', async () => {
    provider.script([], ({ texts }) => (texts[0] === 'hello' ? 'ok' : 'no_such_model'))
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'input_rejected', status: 404 })
  })
})

describe('the check of the settings', () => {
  test('finds nothing wrong with a provider that embeds', async () => {
    expect(await checkEmbedder(embedder())).toBeUndefined()
    expect(await checkEmbedder(lexicalEmbedder())).toBeUndefined()
    expect(provider.calls).toHaveLength(1)
  })

  test.each(['unauthorized', 'long_vector', 'no_such_model', 'too_many_requests'] as Way[])(
    'says in words what is wrong (%s)',
    async (way) => {
      provider.script([], way)
      const { message } = await fault(embedder().embed(['one']))
      expect(await checkEmbedder(embedder())).toBe(message)
    },
  )

  test.each([
    ['ignores the end of a chunk of CHUNK_TOKENS, 400', (text: string) => text.slice(0, 1000)],
    ['rejects a chunk of CHUNK_TOKENS, 400 (This text is not acceptable)', () => undefined],
    [undefined, (text: string) => text],
  ])('warns of a model that does not read a whole chunk: %s', async (warning, read) => {
    provider.script([], ({ texts }) => {
      const data = texts.map((text, index) => ({ index, embedding: [...vectorOf(read(text) ?? '')] }))
      return read('') === undefined ? 'rejected' : { status: 200, body: JSON.stringify({ data }) }
    })
    const expected = warning && `own ${warning}: set CHUNK_TOKENS to less than the model reads`
    expect(await checkChunkTokens(embedder({ model: 'own' }), 400)).toBe(expected)
  })
})
