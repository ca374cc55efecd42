import { describe, expect, test } from 'vitest'
import { apiKey, fault, useAskingEmbedder } from '../support/provider/asking-embedder.ts'
import type { ProviderCall } from '../support/provider/fake-provider.ts'
import { type Way, ways } from '../support/provider/provider-responses.ts'

const { provider, embedder } = useAskingEmbedder()

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

describe('a text with the response of a rejected key', () => {
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
  test.each(parts)('take little time to clean, however long they are (%j)', async (part) => {
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

  test('repeat a rejected text to its sender', async () => {
    const message = 'Not acceptable: grandmother’s soup'
    provider.script([{ status: 400, body: JSON.stringify({ error: { message } }) }])
    expect((await fault(embedder().embed(['grandmother’s soup']))).message).toBe(message)
  })
})
