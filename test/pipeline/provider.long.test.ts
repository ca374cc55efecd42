import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { answering } from '../../infra/wiring.ts'
import { checkChunkTokens, checkEmbedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { openAiEmbedder, type Provider } from '../../shared/embedding/openai-embedder.ts'
import { normalize } from '../../shared/embedding/vectors.ts'
import { startInstance } from '../support/aws/lambda-instance.ts'
import { listen } from '../support/http/loopback.ts'
import { type ProviderCall, useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf, type Way, ways } from '../support/provider/provider-responses.ts'
import { entryOf } from '../support/stand/entry.ts'

const provider = useFakeProvider()
const apiKey = 'sk-canary-9f2c81d7aa'

function embedder(more: Partial<Provider> = {}) {
  const own = { baseUrl: provider.baseUrl, model: 'text-embedding-3-small', apiKey: () => apiKey }
  return openAiEmbedder({ ...own, timeoutSeconds: 10, ...more })
}

const base64 = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64')
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * b[i]!, 0)

async function fault(promise: Promise<unknown>): Promise<EmbeddingError> {
  const error = await promise.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(EmbeddingError)
  return error as EmbeddingError
}

describe('an embeddings call', () => {
  test('sends all texts, the model and the key, and gives unit vectors', async () => {
    const [first, second] = await embedder().embed(['one', 'two'])
    const sent = { texts: ['one', 'two'], model: 'text-embedding-3-small', dimensions: 1536 }
    expect(provider.calls).toEqual([{ ...sent, authorization: `Bearer ${apiKey}` }])
    expect(first).toEqual(normalize(vectorOf('one')))
    expect(Math.hypot(...second!)).toBeCloseTo(1, 6)
  })

  test('to a provider without keys carries no Authorization', async () => {
    await embedder({ apiKey: () => '' }).embed(['one'])
    expect(provider.calls).toMatchObject([{ texts: ['one'], authorization: undefined }])
  })

  test.each(['reordered', 'as_numbers'] as Way[])('answered %s yields each text its own vector', async (way) => {
    provider.script([way])
    const vectors = await embedder().embed(['one', 'two', 'three'])
    expect(vectors).toEqual(['one', 'two', 'three'].map((text) => normalize(vectorOf(text))))
  })

  const invalid = 'too_few too_many same_index_twice zeros tiny not_finite cut_vector strings no_data no_json'
  test.each(invalid.split(' ') as Way[])('with an invalid response (%s) is unavailable', async (way) => {
    provider.script([way])
    expect(await fault(embedder().embed(['one', 'two']))).toMatchObject({ reason: 'unavailable', status: 200 })
    expect(provider.calls).toHaveLength(1)
  })

  test('that is cut off, gets no response or finds no server is unavailable', async () => {
    provider.script(['break_off', 'hang'])
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'unavailable' })
    expect(await fault(embedder({ timeoutSeconds: 0.05 }).embed(['one']))).toMatchObject({ reason: 'unavailable' })
    const unreachable = embedder({ baseUrl: 'http://127.0.0.1:1/v1' })
    expect(await fault(unreachable.embed(['one']))).toMatchObject({ reason: 'unavailable', status: undefined })
  })

  test('whose key cannot be fetched is unavailable', async () => {
    const apiKey = () => Promise.reject(new Error('Secrets Manager is away'))
    expect(await fault(embedder({ apiKey }).embed(['one']))).toMatchObject({ reason: 'unavailable' })
    expect(provider.calls).toHaveLength(0)
  })
})

describe('a provider in trouble', () => {
  test('gets one retry at once after a 500, not two', async () => {
    provider.script(['server_error'])
    expect(await embedder().embed(['one'])).toHaveLength(1)
    expect(provider.calls).toHaveLength(2)
    provider.script(['server_error', 'server_error'])
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'unavailable', status: 500 })
    expect(provider.calls).toHaveLength(4)
  })

  test('gets no immediate retry if the first call may be billed, or if it says when', async () => {
    provider.script(['gateway_timeout', 'unavailable_retry_after', 'too_many_requests'])
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'unavailable', status: 504 })
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 7 })
    const unsaid = { reason: 'unavailable', retryAfterSeconds: undefined }
    expect(await fault(embedder().embed(['one']))).toMatchObject(unsaid)
    expect(provider.calls).toHaveLength(3)
  })

  const day = 'Sun, 06 Nov 1994'
  test.each([
    ['seconds', { 'retry-after': '40' }, 40],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1.5],
    ['a date gone by', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['a date by its own clock', { date: `${day} 08:49:37 GMT`, 'retry-after': `${day} 08:50:37 GMT` }, 60],
    ['more than an hour', { 'retry-after': '1000000000' }, 3600],
    ['more than a number holds', { 'retry-after': '9'.repeat(400) }, 3600],
    ['a date far away', { 'retry-after': 'Sun, 06 Nov 9999 08:49:37 GMT' }, 3600],
    ['more milliseconds than an hour has', { 'retry-after-ms': '1000000000000' }, 3600],
    ['nothing sensible', { 'retry-after': 'soon' }, undefined],
    ['a negative number', { 'retry-after': '-120', 'retry-after-ms': '-5' }, undefined],
    ['no number', { 'retry-after': 'NaN', 'retry-after-ms': 'Infinity' }, undefined],
    ['a date that is none', { 'retry-after': 'Sun, 99 Foo 2094 08:49:37 GMT' }, undefined],
  ])('says in Retry-After when to retry, in %s', async (_, headers, seconds) => {
    provider.script([{ status: 429, headers, body: '{}' }])
    expect((await fault(embedder().embed(['one']))).retryAfterSeconds).toBe(seconds)
  })

  test('says in Retry-After when to retry, as a date', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString()
    provider.script([{ status: 503, headers: { 'retry-after': date }, body: '' }])
    const { retryAfterSeconds } = await fault(embedder().embed(['one']))
    expect(retryAfterSeconds).toBeGreaterThan(60)
    expect(retryAfterSeconds).toBeLessThanOrEqual(90)
  })
})

describe('a response without end', () => {
  const vector = JSON.stringify({ data: [{ index: 0, embedding: [...vectorOf('one')] }] })

  test.each([
    [200, vector, 'The embedding provider sent an invalid response: more than 200000 bytes for 1 texts'],
    [500, '{"error":"gone"}', 'The embedding provider failed (status 500)'],
    [400, '{"error":"no"}', 'status 400'],
  ])('(%i) is read no further than it makes sense', async (status, body, message) => {
    provider.script([], { status, body, tail: 'flood' })
    expect(await fault(embedder().embed(['one']))).toMatchObject({ status, message })
    // The total includes bytes buffered in sockets.
    expect(provider.flooded).toBeLessThan(16_000_000)
  })

  test('is as long as that of so many texts may be', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`)
    const data = texts.map((_, index) => ({ index, embedding: Array(4096).fill(-0.006929283495992422) }))
    provider.script([], { status: 200, body: JSON.stringify({ data }) })
    expect(await fault(embedder({ model: 'own' }).embed(texts))).toMatchObject({ reason: 'wrong_model' })
  })

  test('is bounded as it is unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000, ' '))
    const { origin, close } = await listen((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    })
    const before = process.memoryUsage().arrayBuffers
    const { message } = await fault(embedder({ baseUrl: `${origin}/v1` }).embed(['one']))
    expect(message).toMatch(/more than 200000 bytes/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
    await close()
  })

  test.each([
    [200, vector],
    [500, '{"error":"gone"}'],
    [400, '{"error":"no"}'],
    [403, '{"error":"no"}'],
  ])('that comes byte by byte (%i) ends with the time of the call', async (status, body) => {
    provider.script([], { status, body, tail: 'drip' })
    const late = { reason: 'unavailable', message: 'The embedding provider timed out' }
    expect(await fault(embedder({ timeoutSeconds: 0.3 }).embed(['one']))).toMatchObject(late)
  })
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('(%i) is not followed, and says what to set', async (status) => {
    const bodies: string[] = []
    const { origin, close } = await listen((request, response) => {
      request.on('data', (data) => bodies.push(String(data)))
      response.end()
    })
    provider.script([], { status, headers: { location: `${origin}/v1/embeddings` }, body: '' })
    expect(await fault(embedder().embed(['one']))).toMatchObject({
      reason: 'key_rejected',
      status,
      message: `The embedding provider redirects to another address (status ${status}), which is not followed: set EMBEDDING_BASE_URL to the final one`,
      retryAfterSeconds: 15,
    })
    expect(bodies).toEqual([])
    await close()
  })

  test('of one text, as by a firewall, rejects that text alone', async () => {
    const blocked = { status: 302, headers: { location: '/blocked' }, body: '' }
    provider.script([], ({ texts }) => (texts.includes('DROP TABLE') ? blocked : 'ok'))
    expect(await fault(embedder().embed(['DROP TABLE']))).toMatchObject({ reason: 'input_rejected', status: 302 })
  })
})

describe('a rejected text', () => {
  const rejection = (message: string) => ({ status: 400, body: JSON.stringify({ error: { message } }) })

  test.each([
    ['in the provider’s words', 'This text is not acceptable.', apiKey, 'This text is not acceptable'],
    ['without the very key', 'Your key correcthorse is not for this', 'correcthorse', 'Your key … is not for this'],
    ['in whole words where the key is short', 'Max tokens exceeded', 'x', 'Max tokens exceeded'],
  ])('is explained %s', async (_, said, key, message) => {
    provider.script([rejection(said)])
    const rejected = { reason: 'input_rejected', status: 400, message }
    expect(await fault(embedder({ apiKey: () => key }).embed(['one']))).toMatchObject(rejected)
  })

  test.each([
    `The key ${apiKey} may not embed this`,
    'Incorrect key sk-proj-Ab12Cd34Ef56Gh78 given',
    'Header was Bearer eyJhbGciOiJIUzI1NiJ9.x.y1',
    'Key sk-abc*******wxyz is masked',
  ])('is explained without any key (%#)', async (message) => {
    provider.script([rejection(message)])
    const error = await fault(embedder().embed(['one']))
    expect(error.message).toContain('…')
    expect(error.message).not.toMatch(/canary|sk-|eyJ|wxyz/)
  })

  test('is explained in words that a database can keep and a person can read', async () => {
    provider.script([rejection(`line\u0000one\nline \ud83d two ${'long '.repeat(200)}🚲`)])
    const { message } = await fault(embedder().embed(['one']))
    expect(message).toMatch(/^line one line two long/)
    expect(message.isWellFormed()).toBe(true)
    expect(message).not.toMatch(/\p{Cc}/u)
    expect(message.length).toBeLessThan(250)
  })

  test('without an explanation carries the status', async () => {
    provider.script([{ status: 422, body: 'no' }])
    expect((await fault(embedder().embed(['one']))).message).toBe('status 422')
  })
})

describe('a text whose response is as if our key were rejected', () => {
  const stopped = (status: number) => (call: ProviderCall) =>
    call.texts.includes('DROP TABLE') ? { status, body: '<html>Blocked</html>' } : 'ok'

  test.each([401, 403, 406, 451])('(%i) is distinguished by a probe, and others are embedded', async (status) => {
    const client = embedder()
    provider.script([], stopped(status))
    for (let i = 0; i < 4; i++)
      expect(await fault(client.embed(['DROP TABLE']))).toMatchObject({ reason: 'input_rejected', status })
    expect(await client.embed(['two'])).toHaveLength(1)
    const probed = ['DROP TABLE', 'hello', 'DROP TABLE']
    expect(provider.calls.flatMap((call) => call.texts)).toEqual([...Array(4).fill(probed).flat(), 'two'])
  })

  test('is tried with the fresh key first', async () => {
    const apiKey = (rejected?: string) => (rejected === undefined ? 'sk-old' : 'sk-new')
    provider.script([], stopped(403))
    expect(await fault(embedder({ apiKey }).embed(['DROP TABLE']))).toMatchObject({ reason: 'input_rejected' })
    expect(provider.calls.map((call) => [call.texts[0], call.authorization])).toEqual([
      ['DROP TABLE', 'Bearer sk-old'],
      ['DROP TABLE', 'Bearer sk-new'],
      ['hello', 'Bearer sk-new'],
      ['DROP TABLE', 'Bearer sk-new'],
    ])
  })

  test('is embedded when it is accepted after the probe', async () => {
    provider.script(['forbidden'])
    expect(await embedder().embed(['one'])).toHaveLength(1)
  })

  const others: Way[] = ['too_many_requests', 'server_error', 'gateway_timeout']
  test.each(others)('is not rejected, nor is the key, when the probe ends otherwise (%s)', async (way) => {
    const client = embedder()
    provider.script(['forbidden', way])
    expect(await fault(client.embed(['one']))).toMatchObject({ reason: 'unavailable', status: ways[way]([]).status })
    expect(await client.embed(['two'])).toHaveLength(1)
  })
})

describe('a provider that hangs', () => {
  const hanging = (more: Partial<Provider> = {}) => embedder({ timeoutSeconds: 0.05, ...more })
  const late = { reason: 'unavailable', message: 'The embedding provider timed out' }
  const never = () => new Promise<never>(() => {})

  test('has one timeout for everything, including the key and calls that ignore the signal', async () => {
    expect(await fault(hanging({ apiKey: never }).embed(['one']))).toMatchObject(late)
    expect(await fault(hanging({ fetch: never }).embed(['one']))).toMatchObject(late)
    provider.script(['server_error', 'hang', 'unauthorized', 'hang'])
    expect(await fault(hanging({ timeoutSeconds: 0.5 }).embed(['one']))).toMatchObject(late)
    expect(await fault(hanging({ timeoutSeconds: 0.5 }).embed(['one']))).toMatchObject(late)
  })

  test('gets the timeout of the caller', async () => {
    provider.script([], 'hang')
    expect(await fault(embedder().embed(['one'], { timeoutSeconds: 0.05 }))).toMatchObject(late)
  })

  test('opens the circuit breaker after three consecutive timeouts, then for twice as long each time, up to a minute', async () => {
    let now = 0
    const client = hanging({ now: () => now })
    provider.script([], 'hang')
    for (let i = 0; i < 3; i++) expect(await fault(client.embed(['one']))).toMatchObject(late)
    for (const pause of [5, 10, 20, 40, 60, 60]) {
      const calls = provider.calls.length
      expect(await fault(client.embed(['two']))).toMatchObject({ ...late, retryAfterSeconds: pause })
      now += pause * 1000 - 1
      expect(await fault(client.embed(['three']))).toMatchObject({ ...late, retryAfterSeconds: 1 })
      expect(provider.calls).toHaveLength(calls)
      now += 1
      await Promise.all([fault(client.embed(['four'])), fault(client.embed(['five']))])
      expect(provider.calls).toHaveLength(calls + 1)
    }
    now += 60_000
    provider.script([])
    expect(await client.embed(['six'], { timeoutSeconds: 10 })).toHaveLength(1)
    expect(await client.embed(['seven'], { timeoutSeconds: 10 })).toHaveLength(1)
  })

  test('occasionally does not open the circuit breaker', async () => {
    const client = hanging()
    for (let i = 0; i < 2; i++) {
      provider.script([], 'hang')
      await Promise.all([fault(client.embed(['one'])), fault(client.embed(['two']))])
      provider.script([])
      expect(await client.embed(['three'], { timeoutSeconds: 10 })).toHaveLength(1)
    }
  })

  test('is distinguished from one whose callers abort their calls', async () => {
    const client = embedder()
    for (let i = 0; i < 4; i++) {
      const controller = new AbortController()
      const abort = () => {
        controller.abort()
        return 'hang' as const
      }
      provider.script([abort])
      expect(await fault(client.embed(['one'], { signal: controller.signal }))).toMatchObject({ reason: 'unavailable' })
    }
    expect(await client.embed(['two'])).toHaveLength(1)
  })
})

describe('a Lambda on AWS', () => {
  const lambda = { QUEUE_URL: 'http://127.0.0.1:9/queue', AWS_LAMBDA_FUNCTION_NAME: 'cuecard-prod' }
  const env = { ...lambda, DATABASE_SECRET: 'database' }

  test.each([...answering, 'embedding'] as const)('(%s) does not start without a provider', async (name) => {
    await expect(startInstance(entryOf(name), env)).rejects.toThrow('EMBEDDING_BASE_URL is not set: set it to')
  })

  test('(embedding) does not start without its key either, and starts with both', async () => {
    const entry = entryOf('embedding')
    const keyless = { ...env, EMBEDDING_BASE_URL: 'https://provider.example/v1' }
    await expect(startInstance(entry, keyless)).rejects.toThrow('EMBEDDING_SECRET is not set: set it to')
    const instance = await startInstance(entry, { ...keyless, EMBEDDING_SECRET: 'provider' })
    await instance.stop()
  })
})

describe('a rejected key', () => {
  test('is fetched again, once, and the call retried', async () => {
    const keys = vi.fn((rejected?: string) => (rejected === 'sk-old' ? 'sk-new' : 'sk-old'))
    provider.script(['unauthorized'])
    expect(await embedder({ apiKey: keys }).embed(['one'])).toHaveLength(1)
    expect(provider.calls.map((call) => call.authorization)).toEqual(['Bearer sk-old', 'Bearer sk-new'])
    expect(keys).toHaveBeenCalledTimes(2)
  })

  test.each(['unauthorized', 'forbidden'] as Way[])('when fresh too (%s), opens the circuit breaker', async (way) => {
    let now = 0
    const client = embedder({ now: () => now })
    provider.script([], way)
    expect(await fault(client.embed(['one']))).toMatchObject({ reason: 'key_rejected' })
    expect(provider.calls).toHaveLength(2)
    expect(await fault(client.embed(['two']))).toMatchObject({ reason: 'key_rejected', retryAfterSeconds: 15 })
    expect(provider.calls).toHaveLength(2)
    now += 15_000
    // One of them probes.
    await Promise.all([fault(client.embed(['three'])), fault(client.embed(['four'])), fault(client.embed(['five']))])
    expect(provider.calls).toHaveLength(4)
    now += 15_000
    expect((await fault(client.embed(['six']))).retryAfterSeconds).toBe(15)
    now += 15_000
    provider.script([])
    expect(await client.embed(['seven'])).toHaveLength(1)
    expect(await client.embed(['eight'])).toHaveLength(1)
  })

  test('keeps the circuit breaker open when the probe finds no server, and probes again', async () => {
    let now = 0
    const client = embedder({ now: () => now })
    provider.script(['unauthorized', 'unauthorized', 'break_off'])
    await fault(client.embed(['one']))
    now += 15_000
    expect(await fault(client.embed(['two']))).toMatchObject({ reason: 'unavailable' })
    expect(await client.embed(['three'])).toHaveLength(1)
  })

  test('and a wrong address have one reason: the text is not rejected', async () => {
    provider.script([], { status: 404, body: '<html>Not found</html>' })
    expect(await fault(embedder().embed(['one']))).toMatchObject({
      reason: 'key_rejected',
      status: 404,
      message: 'The embedding provider has nothing at our address for it (status 404): check EMBEDDING_BASE_URL',
    })
  })
})

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

  test('of another name is not asked for 1536 numbers, unless it returns another number first and supports it: then always', async () => {
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
    ['gives as many again', () => numbers(3072)],
    ['rejects the question', (call: ProviderCall) => (call.dimensions ? ('rejected' as const) : numbers(3072))],
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
  ])('of %s, which gives %i numbers, is taken as it is, filled with zeros', async (_, count, encode, envelope) => {
    const given = [...'ab'].map((letter) => vectorOf(letter).map((_, i) => Math.sin(i * letter.charCodeAt(0))))
    const data = given.map((vector, index) => ({ index, embedding: encode(vector.slice(0, count)) }))
    provider.script([{ status: 200, body: JSON.stringify({ ...envelope, model: 'own', data }) }])
    const vectors = await embedder({ model: 'own' }).embed(['a', 'b'])
    expect(provider.calls.map(({ dimensions }) => dimensions)).toEqual([undefined])
    for (const vector of vectors) expect([...vector.subarray(count)]).toEqual(Array(1536 - count).fill(0))
    const [one, other] = given.map((vector) => vector.slice(0, count)) as [Float32Array, Float32Array]
    const cosine = dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
    expect(dot(vectors[0]!, vectors[1]!)).toBeCloseTo(cosine, 5)
  })

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

  test('is not the wrong one when a single text gets a 404: that is rejected', async () => {
    provider.script([], ({ texts }) => (texts[0] === 'hello' ? 'ok' : 'no_such_model'))
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'input_rejected', status: 404 })
  })
})

describe('the words of the provider', () => {
  const busy = (message: string) => [{ status: 429, body: JSON.stringify({ error: { message } }) }]

  test.each(['code', 'type'])('say that no quota is left, unlike a busy provider’s (by its %s)', async (field) => {
    const error = { message: 'You exceeded your current quota', [field]: 'insufficient_quota' }
    provider.script([{ status: 429, body: JSON.stringify({ error }) }])
    const { reason, message } = await fault(embedder().embed(['one']))
    expect(reason).toBe('unavailable')
    expect(message).toMatch(/^Our account .* no quota left \(status 429: You exceeded your current quota\): add/)
  })

  test.each([
    'Cannot POST http://user:secret@gpu-7.models.internal:8000/v1/embeddings',
    'dial tcp 10.11.12.13:8000: connection refused',
    'upstream gpu-7:8000 is gone, gpu-7.models.internal too',
    'no route to [fd00::12]:8000',
    'see 127.0.0.1 for more',
    'see fd00:1::12 for more',
    'gpu-7.models.example.com is gone',
    'File "/srv/gpu-7/internal/embed.py", line 3',
    'cannot open C:\\gpu-7\\internal\\weights',
    'lookup gpu-7.internal on localhost',
  ])('are repeated without any address (%#)', async (said) => {
    provider.script(busy(said))
    const { message } = await fault(embedder().embed(['one']))
    expect(message).toContain('…')
    expect(message).not.toMatch(/secret|gpu-7|8000|internal\b|\d+\.\d+|fd00|::|localhost/)
  })

  test('are repeated without the host of the provider, whatever that looks like', async () => {
    const answer = () => Promise.resolve(new Response('{"error":"embedder says no"}', { status: 500 }))
    const client = embedder({ baseUrl: 'http://embedder/v1', fetch: answer })
    expect((await fault(client.embed(['one']))).message).toBe('The embedding provider failed (status 500: … says no)')
  })

  test.each([
    'The model meta-llama/Llama-3.1-8B is loading, e.g. for 20.5 s',
    'Limit 3000 tokens/min, used 2990, requested 12',
    'Invalid type for input: expected a string, or an array of strings',
  ])('are repeated as they are where they name no address (%#)', async (said) => {
    provider.script(busy(said))
    expect((await fault(embedder().embed(['one']))).message).toContain(said)
  })

  const parts = ['a.', 'a', '.', '-', ' ', 'a:', '[', '/a', '\\', 'sk-', 'bearer ', 'http://', '1.', '::', '\u0000']
  test.each(parts)('take no time to clean, however many there are (%j)', async (part) => {
    for (const count of [900, 60_000, 500_000]) {
      provider.script([], { status: 400, body: JSON.stringify({ error: { message: part.repeat(count) } }) })
      const started = process.threadCpuUsage()
      await fault(embedder().embed(['one']))
      expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1000)
    }
  })

  const repeating = ['one and only secret ingredient', 'rejected "the one and only secret ingredient of grandmother']
  test.each([...repeating, 'short1'])(
    'are left out of the message if they repeat a text, because messages are logged (%#)',
    async (said) => {
      provider.script(busy(said))
      const texts = ['The one and only\n secret ingredient of grandmother’s soup is salt.', 'short1']
      expect((await fault(embedder().embed(texts))).message).toBe('The embedding provider is busy (status 429)')
    },
  )

  test('repeat a text to whoever sent it, when it is rejected', async () => {
    const message = 'Not acceptable: grandmother’s soup'
    provider.script([{ status: 400, body: JSON.stringify({ error: { message } }) }])
    expect((await fault(embedder().embed(['grandmother’s soup']))).message).toBe(message)
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
  ])('of a model that reads so far: %s', async (warning, read) => {
    provider.script([], ({ texts }) => {
      const data = texts.map((text, index) => ({ index, embedding: [...vectorOf(read(text) ?? '')] }))
      return read('') === undefined ? 'rejected' : { status: 200, body: JSON.stringify({ data }) }
    })
    const expected = warning && `own ${warning}: set CHUNK_TOKENS to less than the model reads`
    expect(await checkChunkTokens(embedder({ model: 'own' }), 400)).toBe(expected)
  })
})
