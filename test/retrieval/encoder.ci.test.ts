import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { partsOf } from '../../shared/embedding/encoder/passage-encoder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { serveChunks } from '../support/documents/documents.ts'
import { gathered } from '../support/logs/gathered-log.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
vi.stubEnv('EMBEDDING_MODEL', 'encoder')
const embedder = configuredEmbedder()
vi.unstubAllEnvs()
const unused = { baseUrl: 'http://127.0.0.1:1' }
const passages = [
  'House > Heating\n\n## Heating\n\nEach radiator has a valve. Turn it to three for a warm evening.',
  'House > Animals\n\n## Animals\n\nOne well-behaved dog per room is fine, with blanket and bowl.',
  'House > Arriving\n\n## Arriving\n\nCheck-in is from four in the afternoon until nine in the evening.',
  'House > Breakfast\n\n## Breakfast\n\nBread, cheese and eggs are served in the old barn.',
]

test('a question finds a passage that shares no word with it; if the encoder fails, the keyword arm answers', async () => {
  const tenant = await stand.tenant()
  const vectors = await embedder.embed(passages)
  await serveChunks(
    tenant,
    passages.map((content, i) => ({ content, embedding: [...vectors[i]!] })),
    'House',
  )
  const query = 'can we bring our labrador'
  expect(await newSearch(unused, { embedder }).search(tenant, { query, limit: 1 })).toMatchObject({
    status: 200,
    body: { degraded: null, data: [{ content: passages[1], scores: { keyword: null } }] },
  })

  const failing = { ...embedder, embed: () => embedder.embed([notText]) }
  const { search } = newSearch(unused, { embedder: failing })
  expect(await search(tenant, { query: 'radiator' })).toMatchObject({
    body: { degraded: 'keyword_only', data: [{ content: passages[0] }] },
  })
  expect(await search(tenant, { query: 'radiator', mode: 'semantic' })).toMatchObject({ status: 503 })
})

/** Makes the encoder's worker fail. */
const notText = null as never

test('a failed worker is a temporary, logged error, and the next call gets another worker', async () => {
  const failing = () => expect(embedder.embed([notText])).rejects.toMatchObject({ reason: 'unavailable' })
  expect(await gathered(failing)).toMatch(/"message":"encoder_stopped".*TypeError/)
  const [vector] = await embedder.embed(['Guests park behind the house.'])
  expect(vector).toHaveLength(1536)
})

test('an aborted call ends at once, and a question overtakes waiting passages', async () => {
  const many = Array.from({ length: 12 }, (_, i) => `${passages[i % 4]} Room ${i}.`)
  await expect(embedder.embed(many, { signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: 'unavailable' })
  const order: string[] = []
  const ingested = embedder.embed(many).then(() => order.push('passages'))
  await embedder.embed(['where do guests park'], { of: 'query' }).then(() => order.push('question'))
  await ingested
  expect(order).toEqual(['question', 'passages'])
})

test('vectors are normalized, and text that is not English gets the lexical embedder’s', async () => {
  const german = 'Wo kann ich das Auto abstellen, wenn bei Ihnen alles voll ist?'
  const japanese = '急に水しか出なくなりました'
  const lexical = await lexicalEmbedder().embed([german, japanese])
  expect(await embedder.embed([german, japanese], { of: 'query' })).toEqual(lexical)
  const vectors = await embedder.embed([...passages, '', ' ', '\u200b', 'F-90', 'x'.repeat(5_000)])
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
})

test('the encoder’s part of a vector equals the output of TensorFlow.js, for which the model was published', async () => {
  const meaningOf = async (text: string, of: 'query' | 'document') =>
    [...(await embedder.embed([text], { of }))[0]!.slice(1024, 1030)].map((number) => number.toFixed(5))
  const question = ['0.04323', '0.04215', '-0.03968', '-0.04153', '-0.04168', '0.04125']
  expect(await meaningOf('can we bring our labrador', 'query')).toEqual(question)
  const passage = `${passages[1]} Cats stay at home, since the owner of the house is allergic to them.`
  const answer = ['0.05272', '0.03751', '-0.05645', '-0.01036', '0.00846', '-0.03210']
  expect(await meaningOf(passage, 'document')).toEqual(answer)
})

test('a passage is split into its headings, each once, and its sentences and table rows', () => {
  expect(
    partsOf(
      'Rates > Rooms\n\n## Rooms\n\nA *double* is quiet. Is it free?\n\n| Code | Room |\n|---|---|\n| C-21 | Twin |',
    ),
  ).toEqual({
    heading: 'rates, rooms',
    sentences: ['a *double* is quiet.', 'is it free?', 'code, room', 'c-21, twin'],
  })
})

test('the worker does not keep the process alive', async () => {
  const file = join(import.meta.dirname, '../../shared/embedding/encoder-embedder.ts')
  const script = `const { encoderEmbedder } = await import(${JSON.stringify(file)}); console.log((await encoderEmbedder().embed(['hello'])).length)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout).toBe('1\n')
})
