import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { answering } from '../../infra/wiring.ts'
import type { Provider } from '../../shared/embedding/openai-embedder.ts'
import { normalize } from '../../shared/embedding/vectors.ts'
import { startInstance } from '../support/aws/lambda-instance.ts'
import { listen } from '../support/http/loopback.ts'
import { apiKey, fault, useAskingEmbedder } from '../support/provider/asking-embedder.ts'
import { vectorOf, type Way } from '../support/provider/provider-responses.ts'
import { entryOf } from '../support/stand/entry.ts'

const { provider, embedder } = useAskingEmbedder()

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
})

describe('an endless response', () => {
  const vector = JSON.stringify({ data: [{ index: 0, embedding: [...vectorOf('one')] }] })

  test.each([
    [200, vector, 'The embedding provider sent an invalid response: more than 200000 bytes for 1 texts'],
    [500, '{"error":"gone"}', 'The embedding provider failed (status 500)'],
    [400, '{"error":"no"}', 'status 400'],
  ])('(%i) is read up to a limit only', async (status, body, message) => {
    provider.script([], { status, body, tail: 'flood' })
    expect(await fault(embedder().embed(['one']))).toMatchObject({ status, message })
    // The total includes bytes buffered in sockets.
    expect(provider.flooded).toBeLessThan(16_000_000)
  })

  test('is limited as it is decompressed', async () => {
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
  ])('that comes byte by byte (%i) ends with the call’s time-out', async (status, body) => {
    provider.script([], { status, body, tail: 'drip' })
    const late = { reason: 'unavailable', message: 'The embedding provider timed out' }
    expect(await fault(embedder({ timeoutSeconds: 0.3 }).embed(['one']))).toMatchObject(late)
  })
})

test('a response of 4096 numbers for each of 20 texts is read whole', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`)
  const data = texts.map((_, index) => ({ index, embedding: Array(4096).fill(-0.006929283495992422) }))
  provider.script([], { status: 200, body: JSON.stringify({ data }) })
  expect(await fault(embedder({ model: 'own' }).embed(texts))).toMatchObject({ reason: 'wrong_model' })
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
