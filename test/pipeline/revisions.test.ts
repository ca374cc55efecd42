import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { strayRows } from '../support/database/stray-rows.ts'
import { newDocument, type TestDocument } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

async function edit(tenant: Tenant, document: TestDocument, content: string) {
  await tenant.call('PATCH', document.path, { content })
  await newWorker(stand, provider)([document])
  expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'completed', content })
}

interface Chunk {
  id: string
  chunk_index: number
  content: string
  metadata: { start: number; end: number }
  embedding?: number[]
}

const listed = async (tenant: Tenant, { path }: TestDocument, query = 'limit=100'): Promise<Chunk[]> =>
  (await tenant.call('GET', `${path}/chunks?${query}`)).body.data
const search = async (tenant: Tenant, more: object = {}): Promise<(Chunk & { score: number; chunk_id: string })[]> =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: [...vectorOf('q')], limit: 50, ...more }))
    .body.data

/** The rows of chunks and vectors, by id, with the transaction that wrote each. */
async function writtenBy({ id }: TestDocument): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; written: string }>`
    select 'chunk ' || id as id, xmin::text as written from chunks where document_id = ${id}
    union all select 'vector ' || id, xmin::text from vectors where document_id = ${id}`.execute(stand.db)
  return new Map(rows.map((row) => [row.id, row.written]))
}

const sentences = (count: number) => Array.from({ length: count }, (_, i) => `Sentence number ${i} tells of a 🚲.`)
const text = (all: string[]) => all.join('\n\n')
async function completed(all: string[]) {
  const made = await newDocument(stand, text(all))
  await newWorker(stand, provider)([made.document])
  return made
}

test('an edit of one word writes the chunk that has it and its vector, and no other row', async () => {
  const before = sentences(40)
  const { tenant, document } = await completed(before)
  const rows = await writtenBy(document)
  expect(rows.size).toBe(2 * 40)
  const chunks = await listed(tenant, document)

  await edit(tenant, document, text(before.with(17, before[17]!.replace('tells', 'speaks'))))
  const after = await writtenBy(document)
  expect(after.size).toBe(2 * 40)
  expect([...after].filter(([id, written]) => rows.get(id) !== written)).toHaveLength(2)
  const edited = await listed(tenant, document)
  expect(edited.filter((chunk, i) => chunk.id !== chunks[i]!.id).map((chunk) => chunk.chunk_index)).toEqual([17])
  expect(await strayRows(stand.db)).toEqual([])
})

test('chunks that stay where they are keep their ids over many revisions, back and forth', async () => {
  const before = sentences(6)
  const { tenant, document } = await completed(before)
  const ids = async () => (await listed(tenant, document)).map((chunk) => chunk.id)
  const first = await ids()
  await edit(tenant, document, text(before.with(2, 'Another one.')))
  await edit(tenant, document, text(before.with(2, 'Yet another one.').with(5, 'And the last of them too.')))
  const second = await ids()
  await edit(tenant, document, text(before))
  const third = await ids()
  for (const i of [0, 1, 3, 4]) expect([second[i], third[i]]).toEqual([first[i], first[i]])
  for (const i of [2, 5]) expect(new Set([first[i], second[i], third[i]]).size).toBe(3)
})

test.each([
  ['longer', (all: string[]) => all.with(1, `A much ${'longer '.repeat(4)}sentence`)],
  ['shorter', (all: string[]) => all.with(1, 'Short.')],
  ['longer by a paragraph in front', (all: string[]) => ['This is a new beginning of all that follows.', ...all]],
  ['with half of its paragraphs', (all: string[]) => all.slice(0, 4)],
  ['with twice its paragraphs', (all: string[]) => [...all, ...all.map((each) => `${each} Again.`)]],
])('after an edit that makes a text %s, every chunk says where it is in the new one', async (_, change) => {
  const { tenant, document } = await completed(sentences(8))
  const content = text(change(sentences(8)))
  await edit(tenant, document, content)
  const chunks = await listed(tenant, document)
  expect(chunks.map((chunk) => chunk.chunk_index)).toEqual(chunks.map((_, i) => i))
  const hits = await search(tenant)
  expect(hits).toHaveLength(chunks.length)
  for (const { metadata, content: found } of [...chunks, ...hits])
    expect(content.slice(metadata.start, metadata.end)).toBe(found)
  expect(await strayRows(stand.db)).toEqual([])
})

test('a search by a chunk’s offsets uses those of the served text', async () => {
  const { tenant, document } = await completed(sentences(4))
  const [, , third] = await listed(tenant, document)
  const { start, end } = third!.metadata
  expect((await search(tenant, { metadata: { start } })).map((hit) => hit.chunk_id)).toEqual([third!.id])
  await edit(tenant, document, text(sentences(4).with(0, 'Short.')))
  expect(await search(tenant, { metadata: { start } })).toEqual([])
  const moved = (await listed(tenant, document))[2]!
  expect(moved.id).toBe(third!.id)
  expect(moved.metadata.start).toBeLessThan(start)
  const both = { start: moved.metadata.start, end: moved.metadata.end }
  expect((await search(tenant, { metadata: both })).map((hit) => hit.chunk_id)).toEqual([moved.id])
  expect(await search(tenant, { metadata: { ...both, end } })).toEqual([])
})

test('until an edited text is embedded, search and list show the offsets of what they serve', async () => {
  const { tenant, document } = await completed(sentences(3))
  const before = await listed(tenant, document)
  await tenant.call('PATCH', document.path, { content: text(sentences(3).with(0, 'Short.')) })
  expect(await listed(tenant, document)).toEqual(before)
  expect((await search(tenant)).map(({ metadata }) => metadata.start).sort((a, b) => a - b)).toEqual(
    before.map(({ metadata }) => metadata.start),
  )
})

test('two chunks with the same text share a vector, even when the second comes later', async () => {
  const [one, two, three] = sentences(3)
  const { tenant, document } = await completed([one!, two!, one!, three!])
  const counts = sql`select (select count(*)::int from vectors where document_id = ${document.id}) as vectors,
    (select count(*)::int from chunks where document_id = ${document.id}) as chunks`
  const shared = async () => (await counts.execute(stand.db)).rows[0]
  expect(await shared()).toEqual({ vectors: 3, chunks: 4 })
  provider.calls.length = 0
  await edit(tenant, document, text([one!, two!, one!, two!, one!, three!]))
  expect(provider.calls).toHaveLength(0)
  expect(await shared()).toEqual({ vectors: 3, chunks: 6 })
  await edit(tenant, document, text([one!, three!]))
  expect(await shared()).toEqual({ vectors: 2, chunks: 2 })
  expect(await search(tenant)).toHaveLength(2)
})

test('no vector outlives the last chunk that needs it: takeover, completion by PATCH, restart, DELETE of chunks', async () => {
  const { tenant, document } = await completed(sentences(3))
  const vectors = async () =>
    (await sql`select id from vectors where document_id = ${document.id}`.execute(stand.db)).rows.length
  const upload = async (index: number) => {
    const chunks = [{ content: `Mine ${index}.`, chunk_index: index, embedding: axis(index) }]
    expect((await tenant.call('POST', `${document.path}/chunks`, { chunks })).status).toBe(201)
  }
  const check = async (count: number) => {
    expect(await vectors()).toBe(count)
    expect(await strayRows(stand.db)).toEqual([])
  }
  await check(3)
  await upload(0)
  await upload(1)
  // Search serves the service's chunks until the client completes its own.
  await check(5)
  await tenant.call('PATCH', document.path, { status: 'completed' })
  await check(2)
  await upload(2)
  await check(3)
  await tenant.call('PATCH', document.path, { status: 'pending' })
  await check(3)
  await newWorker(stand, provider)([document])
  await check(3)
  await upload(7)
  await check(4)
  // The restart drops a client's draft, and keeps the served chunks.
  await tenant.call('PATCH', document.path, { content: text(sentences(2)) })
  await check(3)
  await newWorker(stand, provider)([document])
  await check(2)
  await tenant.call('DELETE', `${document.path}/chunks`)
  await check(0)
  await upload(0)
  await tenant.call('DELETE', document.path)
  await check(0)
})

test('while a revision is stored in several parts, its document’s row says how many chunks it will have', async () => {
  const { document } = await newDocument(stand, text(sentences(3)))
  const seen: unknown[] = []
  const look = async () => {
    const { rows } = await sql`
      select planned_chunk_count as planned, (select count(*)::int from chunks c where c.document_id = d.id and c.revision = d.revision)
        as stored from documents d where id = ${document.id}`.execute(stand.db)
    seen.push(...rows)
    return 'ok' as const
  }
  provider.script([look, look, look])
  await newWorker(stand, provider, { callLimits: { inputs: 1, tokens: 1000 }, concurrency: 1 })([document])
  await look()
  expect(seen).toEqual([
    { planned: null, stored: 0 },
    { planned: 3, stored: 1 },
    { planned: 3, stored: 2 },
    { planned: null, stored: 3 },
  ])
})
