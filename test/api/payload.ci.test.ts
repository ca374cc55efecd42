import { neonConfig } from '@neondatabase/serverless'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { serveChunks } from '../support/documents/documents.ts'
import { pagesOf } from '../support/http/pages.ts'
import { fileOfQuotes } from '../support/http/provoking.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** Every character takes four bytes of the 6 MB that Lambda carries. */
const quotes = (count: number) => '"'.repeat(count)

/** A served document, whose chunks the owner makes as large as `columns` says. @returns its path */
async function heavyDocument(tenant: Tenant, count: number, columns: string): Promise<string> {
  const embedding = toBase64(Float32Array.from(axis(0)))
  const chunks = Array.from({ length: count }, (_, i) => ({ content: 'c', chunk_index: i, embedding }))
  const { id, path } = await serveChunks(tenant, chunks)
  await sql`update chunks set ${sql.raw(columns)} where document_id = ${id}`.execute(stand.db)
  return path
}

/** As many passages as a search may return. */
async function passagesOf(tenant: Tenant) {
  const search = { embedding: axis(0), limit: 50 }
  const { status, body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, search)
  expect(status).toBe(200)
  return body.data
}

describe('an answer beyond Lambda’s limit', () => {
  test('is avoided by a refusal (413) of content that could not be returned', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const answer = await call('POST', knowledgeBase, { title: 'T', content: quotes(1_555_000) })
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(answer.body.detail).toContain('6200000')
    expect((await call('GET', knowledgeBase)).body.data).toEqual([])
  })

  test('is not needed for the largest accepted document, even with the longest title set later', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const content = quotes(1_549_900)
    const { headers, body } = await call('POST', knowledgeBase, { title: 'T', content })
    const title = '\u0001'.repeat(500)
    expect(await call('PATCH', headers.location!, { title })).toMatchObject({ status: 200 })
    expect(await call('GET', headers.location!)).toMatchObject({ status: 200, body: { id: body.id, title, content } })
    expect(await call('GET', `${knowledgeBase}?limit=1`)).toMatchObject({ status: 200 })
  })

  test('is not needed for the largest accepted batch of chunks', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const { headers } = await call('POST', knowledgeBase, { title: 'T' })
    const chunks = Array.from({ length: 200 }, (_, i) => ({ chunk_index: i, content: quotes(7_737) }))
    const stored = await call('POST', `${headers.location}/chunks`, { chunks })
    expect(stored).toMatchObject({ status: 201, body: { chunk_count: 200 } })
  })

  test('is not needed for the largest accepted batch of documents', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const documents = [...Array(99).fill({ title: 'T' }), { title: 'T', content: quotes(1_549_400) }]
    const { status, body } = await call('POST', `${knowledgeBase}/batch`, { documents })
    expect({ status, last: body.data.at(-1).content }).toEqual({ status: 201, last: quotes(1_549_400) })
  })

  test('is avoided by a refusal (413) of a batch whose numbers are longer when written out', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const { headers } = await call('POST', knowledgeBase, { title: 'T' })
    const numbers = (count: number) => `"metadata":{"a":[${Array(count).fill('1e20').join()}]}`
    const chunk = (i: number) => `{"chunk_index":${i},"content":"${'x'.repeat(28_000)}",${numbers(255)}}`
    const document = () => `{"title":"T","content":"${'x'.repeat(58_000)}",${numbers(250)}}`
    for (const [path, name, count, each] of [
      [`${headers.location}/chunks`, 'chunks', 200, chunk],
      [`${knowledgeBase}/batch`, 'documents', 100, document],
    ] as const) {
      const body = `{"${name}":[${Array.from({ length: count }, (_, i) => each(i)).join()}]}`
      expect(await call('POST', path, body)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    }
    expect((await call('GET', `${headers.location}/chunks`)).body.data).toEqual([])
    expect((await call('GET', knowledgeBase)).body.data).toHaveLength(1)
  })

  test('is refused as too large for a file’s text and its revision, which is not restored either', async () => {
    const tenant = await stand.tenant()
    const { call } = tenant
    const path = await fileOfQuotes(stand, tenant)
    for (const [method, at] of [
      ['GET', '?include=text'],
      ['GET', '/revisions/1'],
      ['POST', '/revisions/1/restore'],
    ] as const)
      expect(await call(method, `${path}${at}`)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect((await call('GET', path)).body).toMatchObject({ status: 'completed', content: null })
    expect((await call('GET', `${path}/revisions`)).body.data).toMatchObject([{ revision: 1, bytes: 1_600_000 }])
  })

  test('is avoided by a page of one document of 4 MiB, or of a hundred without their contents', async () => {
    const { call, knowledgeBase, agentId } = await stand.tenant()
    await call('POST', `${knowledgeBase}/batch`, { documents: Array(100).fill({ title: 'T', content: 'c' }) })
    await sql`update documents set content = repeat('x', 4194304) where agent_id = ${agentId}`.execute(stand.db)
    const { body } = await call('GET', `${knowledgeBase}?limit=100`)
    expect([body.data.length, body.has_more]).toEqual([1, true])
    expect((await call('GET', `${knowledgeBase}?limit=100&exclude=content`)).body.data).toHaveLength(100)
  })

  test('is avoided by ending a page of documents early, and the next page continues', async () => {
    const tenant = await stand.tenant()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: `${i}`, content: quotes(600_000) })
      ids.unshift(body.id)
    }
    const found = await pagesOf(tenant, `${tenant.knowledgeBase}?limit=100`)
    expect(found.map((page) => page.length)).toEqual([2, 1])
    expect(found.flat().map(({ id }) => id)).toEqual(ids)
  })

  test('is also avoided in Neon’s proxy: control characters, which grow sixfold, end a page early', async () => {
    const tenant = await stand.tenant()
    const { call, knowledgeBase } = tenant
    const documents = Array.from({ length: 4 }, () => ({ title: 'T', content: 'c' }))
    await call('POST', `${knowledgeBase}/batch`, { documents })
    await sql`update documents set content = repeat(chr(1), 600000) where agent_id = ${tenant.agentId}`.execute(
      stand.db,
    )
    expect((await pagesOf(tenant, `${knowledgeBase}?limit=100`)).map(({ length }) => length)).toEqual([1, 1, 1, 1])
  })

  test('is avoided by ending a page of chunks and the passages of a search early', async () => {
    const tenant = await stand.tenant()
    const path = await heavyDocument(tenant, 50, `content = repeat('"', 32768)`)
    const found = await pagesOf(tenant, `${path}/chunks?limit=100`)
    expect(found.map((page) => page.length)).toEqual([47, 3])

    const passages = await passagesOf(tenant)
    expect(passages.map((hit: { chunk_index: number }) => hit.chunk_index)).toEqual([...Array(47).keys()])
  })
})

describe('the database’s answer', () => {
  const most = 6_500_000
  let sent: number[] = []
  const fetchFunction = neonConfig.fetchFunction
  beforeAll(() => {
    neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      const text = await response.text()
      sent.push(Buffer.byteLength(text))
      return new Response(text, response)
    }
  })
  afterAll(() => {
    neonConfig.fetchFunction = fetchFunction
  })

  // The API no longer accepts it, but must still list older rows: 16 KiB of JSON, 0.7 MB of text.
  const oldNumbers = `metadata = jsonb_build_object('a', (select jsonb_agg('1e308'::jsonb) from generate_series(1, 2340)))`
  const contents = `content = repeat('🐣', 32768)`

  test.each([
    ['metadata of long numbers, stored before', 12, oldNumbers, '?limit=100'],
    ['contents of four bytes a character', 54, contents, '?limit=100'],
    ['embeddings', 20, contents, '?limit=20&include=embedding'],
  ])('is bounded for a page of chunks with %s', async (_, count, columns, query) => {
    const tenant = await stand.tenant()
    const path = await heavyDocument(tenant, count, columns)
    if (query.includes('embedding'))
      await sql`update vectors set embedding = (select array_agg(-1.2345678e-5 * i) from generate_series(1, 1536) i)::vector
        where document_id = ${path.split('/').at(-1)}`.execute(stand.db)
    sent = []
    const found = await pagesOf(tenant, `${path}/chunks${query}`)
    expect(found.flat()).toHaveLength(count)
    expect(Math.max(...sent)).toBeLessThan(most)
  })

  test('is bounded for the passages of a search', async () => {
    const tenant = await stand.tenant()
    for (const columns of [oldNumbers, contents]) await heavyDocument(tenant, 20, columns)
    sent = []
    const passages = await passagesOf(tenant)
    expect(passages.length).toBeGreaterThan(3)
    expect(Math.max(...sent)).toBeLessThan(most)
  })

  test('is within the limit of Neon’s proxy for passages of control characters, which grow sixfold', async () => {
    const tenant = await stand.tenant()
    const metadata = `metadata = jsonb_build_object('a', repeat(chr(1), 2700))`
    await heavyDocument(tenant, 50, `content = repeat(chr(1), 32768), ${metadata}`)
    const passages = await passagesOf(tenant)
    expect(passages.length).toBeGreaterThan(20)
  })

  test('is a single chunk or passage if that alone exceeds the bound', async () => {
    const tenant = await stand.tenant()
    const path = await heavyDocument(tenant, 2, `metadata = jsonb_build_object('a', repeat('x', 4500000))`)
    expect(await pagesOf(tenant, `${path}/chunks?limit=100`)).toMatchObject([[{}], [{}]])
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(0) })
    expect(body.data).toHaveLength(1)
  })
})
