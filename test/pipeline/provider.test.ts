import { describe, expect, test, vi } from 'vitest'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { openAiEmbedder, type Provider } from '../../shared/embedding/openai-embedder.ts'
import { normalize } from '../../shared/embedding/vectors.ts'
import { entryOf } from '../support/entry.ts'
import { type ProviderCall, useFakeProvider } from '../support/fake-provider.ts'
import { startInstance } from '../support/lambda-instance.ts'
import { vectorOf, type Way } from '../support/provider-responses.ts'

const provider = useFakeProvider()
const apiKey = 'sk-canary-9f2c81d7aa'

function embedder(more: Partial<Provider> = {}) {
  return openAiEmbedder({
    baseUrl: provider.baseUrl,
    model: 'text-embedding-3-small',
    apiKey: () => apiKey,
    timeoutSeconds: 10,
    ...more,
  })
}

async function fault(promise: Promise<unknown>): Promise<EmbeddingError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EmbeddingError)
  return error as EmbeddingError
}

describe('an embeddings call', () => {
  test('sends all texts, the model and the key, and gives unit vectors', async () => {
    const [first, second] = await embedder().embed(['one', 'two'])
    expect(provider.calls).toEqual([
      { texts: ['one', 'two'], model: 'text-embedding-3-small', authorization: `Bearer ${apiKey}` },
    ])
    expect(first).toEqual(normalize(vectorOf('one')))
    expect(Math.hypot(...second!)).toBeCloseTo(1, 6)
  })

  test.each(['reordered', 'as_numbers'] as Way[])(
    'whose response is %s yields each text its own vector',
    async (way) => {
      provider.script([way])
      const vectors = await embedder().embed(['one', 'two', 'three'])
      expect(vectors).toEqual(['one', 'two', 'three'].map((text) => normalize(vectorOf(text))))
    },
  )

  test.each([
    'too_few',
    'too_many',
    'same_index_twice',
    'zeros',
    'tiny',
    'not_finite',
    'short_vector',
    'cut_vector',
    'strings',
    'no_data',
    'no_json',
  ] as Way[])('with an invalid response of status 200 (%s) is unavailable', async (way) => {
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

  test('is aborted by its signal', async () => {
    const controller = new AbortController()
    provider.script([
      () => {
        controller.abort()
        return 'hang'
      },
    ])
    expect(await fault(embedder().embed(['one'], { signal: controller.signal }))).toMatchObject({
      reason: 'unavailable',
    })
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

  test('gets no retry at once where the first call may be billed, or where it says when', async () => {
    provider.script(['gateway_timeout', 'unavailable_retry_after', 'too_many_requests'])
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'unavailable', status: 504 })
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 7 })
    expect(await fault(embedder().embed(['one']))).toMatchObject({
      reason: 'unavailable',
      retryAfterSeconds: undefined,
    })
    expect(provider.calls).toHaveLength(3)
  })

  test.each([
    ['seconds', { 'retry-after': '40' }, 40],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1.5],
    ['a date gone by', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['nothing sensible', { 'retry-after': 'soon' }, undefined],
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

describe('a rejected text', () => {
  const rejection = (message: string) => ({ status: 400, body: JSON.stringify({ error: { message } }) })

  test('is rejected in the provider’s words', async () => {
    provider.script([rejection('This text is not acceptable.')])
    expect(await fault(embedder().embed(['one']))).toMatchObject({
      reason: 'input_rejected',
      status: 400,
      message: 'This text is not acceptable',
    })
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

  test('is explained without the very key of the call, whatever that looks like', async () => {
    provider.script([rejection('Your key correcthorse is not for this')])
    const error = await fault(embedder({ apiKey: () => 'correcthorse' }).embed(['one']))
    expect(error.message).toBe('Your key … is not for this')
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

  test.each([401, 403, 406, 451])(
    '(%i) is distinguished by a probe, and all other texts are embedded',
    async (status) => {
      const client = embedder()
      provider.script([], stopped(status))
      for (let i = 0; i < 4; i++)
        expect(await fault(client.embed(['DROP TABLE']))).toMatchObject({ reason: 'input_rejected', status })
      expect(await client.embed(['two'])).toHaveLength(1)
      expect(provider.calls.slice(0, 3).map((call) => call.texts)).toEqual([['DROP TABLE'], ['hello'], ['DROP TABLE']])
      expect(provider.calls).toHaveLength(4 * 3 + 1)
    },
  )

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

  test.each([
    ['too_many_requests', 429],
    ['server_error', 500],
    ['gateway_timeout', 504],
  ] as [Way, number][])('is not rejected, nor is the key, when the probe ends otherwise (%s)', async (way, status) => {
    const client = embedder()
    provider.script(['forbidden', way])
    expect(await fault(client.embed(['one']))).toMatchObject({ reason: 'unavailable', status })
    expect(await client.embed(['two'])).toHaveLength(1)
  })
})

describe('a provider that hangs', () => {
  const hanging = (more: Partial<Provider> = {}) => embedder({ timeoutSeconds: 0.05, ...more })
  const late = { reason: 'unavailable', message: 'The embedding provider timed out' }
  const never = () => new Promise<never>(() => {})

  test('is given a timeout for all, the key and what ignores the signal included', async () => {
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

  test('now and then does not open the circuit breaker', async () => {
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
      provider.script([
        () => {
          controller.abort()
          return 'hang'
        },
      ])
      expect(await fault(client.embed(['one'], { signal: controller.signal }))).toMatchObject({ reason: 'unavailable' })
    }
    expect(await client.embed(['two'])).toHaveLength(1)
  })
})

describe('a Lambda on AWS', () => {
  const env = {
    QUEUE_URL: 'http://127.0.0.1:9/queue',
    DATABASE_SECRET_ARN: 'database',
    AWS_LAMBDA_FUNCTION_NAME: 'cuecard-prod',
  }

  test.each(['search', 'embedding'] as const)(
    '(%s) does not start without a provider, and says what to set',
    async (name) => {
      await expect(startInstance(entryOf(name), env)).rejects.toThrow('EMBEDDING_BASE_URL is not set: set it to')
      const instance = await startInstance(entryOf(name), { ...env, EMBEDDING_BASE_URL: 'https://provider.example/v1' })
      await instance.stop()
    },
  )
})

describe('a rejected key', () => {
  test('is fetched again, once, and the call retried', async () => {
    const keys = vi.fn((rejected?: string) => (rejected === 'sk-old' ? 'sk-new' : 'sk-old'))
    provider.script(['unauthorized'])
    expect(await embedder({ apiKey: keys }).embed(['one'])).toHaveLength(1)
    expect(provider.calls.map((call) => call.authorization)).toEqual(['Bearer sk-old', 'Bearer sk-new'])
    expect(keys).toHaveBeenCalledTimes(2)
  })

  test.each(['unauthorized', 'forbidden'] as Way[])(
    'when fresh too (%s), opens the circuit breaker; then one at a time probes',
    async (way) => {
      let now = 0
      const client = embedder({ now: () => now })
      provider.script([], way)
      expect(await fault(client.embed(['one']))).toMatchObject({ reason: 'key_rejected' })
      expect(provider.calls).toHaveLength(2)

      const rejected = await fault(client.embed(['two']))
      expect(rejected).toMatchObject({ reason: 'key_rejected', retryAfterSeconds: 15 })
      expect(provider.calls).toHaveLength(2)

      now += 15_000
      await Promise.all([fault(client.embed(['three'])), fault(client.embed(['four'])), fault(client.embed(['five']))])
      expect(provider.calls).toHaveLength(4)

      now += 15_000
      expect((await fault(client.embed(['six']))).retryAfterSeconds).toBe(15)
      now += 15_000
      provider.script([])
      expect(await client.embed(['seven'])).toHaveLength(1)
      expect(await client.embed(['eight'])).toHaveLength(1)
    },
  )

  test('keeps the circuit breaker open when the probe finds no server, and probes again', async () => {
    let now = 0
    const client = embedder({ now: () => now })
    provider.script(['unauthorized', 'unauthorized', 'break_off'])
    await fault(client.embed(['one']))
    now += 15_000
    expect(await fault(client.embed(['two']))).toMatchObject({ reason: 'unavailable' })
    expect(await client.embed(['three'])).toHaveLength(1)
  })

  test('and a wrong model or address have one reason: the text is not rejected', async () => {
    provider.script([], 'no_such_model')
    expect(await fault(embedder().embed(['one']))).toMatchObject({ reason: 'key_rejected', status: 404 })
  })
})
