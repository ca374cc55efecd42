import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { fillAgent } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
let tenant: Tenant
/** A tenant for refused requests: search serves nothing, also at the end. */
let bare: Tenant
beforeAll(async () => {
  tenant = await stand.tenant()
  bare = await stand.tenant()
})

async function chunksPath(tenant: Tenant): Promise<string> {
  return `${(await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })).headers.location}/chunks`
}

const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) })
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]))

describe('a document', () => {
  test.each([
    ['a title of 500 characters outside the basic plane', { title: '🐣'.repeat(500) }],
    ['a title that is long before trimming', { title: `${' '.repeat(600)}T${'\n'.repeat(600)}` }],
    ['a content of 4 MiB of UTF-8', { title: 'T', content: 'é'.repeat(2 * 1024 * 1024) }],
    ['a content of one character', { title: 'T', content: '.' }],
  ])('may have %s', async (_, body) => {
    const { call, knowledgeBase } = tenant
    expect(await call('POST', knowledgeBase, body)).toMatchObject({
      status: 201,
      body: { ...body, title: body.title.trim() },
    })
  })

  test.each<[string, object, string]>([
    ['a title of 501 characters', { title: '🐣'.repeat(501) }, '/title'],
    ['a blank title', { title: '\u2003 \n' }, '/title'],
    ['no title', { content: 'text' }, '/title'],
    ['a content of 4 MiB and a byte', { title: 'T', content: `${'é'.repeat(2 * 1024 * 1024)}.` }, '/content'],
    ['a blank content', { title: 'T', content: ' \t\r\n\u00a0\ufeff' }, '/content'],
    ['an empty content', { title: 'T', content: '' }, '/content'],
    ['null for a content', { title: 'T', content: null }, '/content'],
    ['a status of its own', { title: 'T', status: 'completed' }, '/status'],
  ])('may not have %s', async (name, body, pointer) => {
    const { call, knowledgeBase } = bare
    const answer = await call('POST', knowledgeBase, body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } })
    if (/501|MiB/.test(name)) expect(answer.body.errors[0].code).toBe('too_long')
    expect((await call('GET', knowledgeBase)).body.data).toEqual([])
  })

  test('is refused if its agent has 10,000 already, but not for another agent', async () => {
    const tenant = await stand.tenant()
    await fillAgent(stand, tenant, 9_999)
    const last = await tenant.call('POST', tenant.knowledgeBase, { title: 'Last' })
    expect(last.status).toBe(201)
    const answer = await tenant.call('POST', tenant.knowledgeBase, { title: 'One more' }, { 'idempotency-key': 'k' })
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(answer.body.detail).toContain('10,000')
    await tenant.call('DELETE', last.headers.location!)
    const again = await tenant.call('POST', tenant.knowledgeBase, { title: 'One more' }, { 'idempotency-key': 'k' })
    expect(again.status).toBe(201)
  })
})

describe('a request body', () => {
  test('may have 6,000,000 bytes and no more', async () => {
    const { call, knowledgeBase } = tenant
    const body = JSON.stringify({ title: 'T' })
    expect(await call('POST', knowledgeBase, body.padEnd(6_000_000))).toMatchObject({ status: 201 })
    const answer = await call('POST', knowledgeBase, body.padEnd(6_000_001))
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(answer.body.detail).toContain('6000000')
  })

  test('with a million faults is answered at once, with the first faults', async () => {
    const { call, knowledgeBase } = tenant
    const items = await call('POST', `${knowledgeBase}/${newId()}/chunks`, `{"chunks":[${'0,'.repeat(500_000)}0]}`)
    expect(items.body.errors).toEqual([
      { pointer: '/chunks', code: 'too_long', detail: 'must have between 1 and 200 chunks' },
    ])
    const keys = Array.from({ length: 100_000 }, (_, i) => `"k${i}":0`).join()
    const unknown = await call('POST', knowledgeBase, `{${keys}}`)
    expect(unknown.body.errors.length).toBeGreaterThan(50)
    expect(unknown.body.errors.length).toBeLessThanOrEqual(1000)
    const duplicates = Array.from({ length: 50_000 }, () => '{"content":"c","chunk_index":0}').join()
    expect(await call('POST', `${knowledgeBase}/${newId()}/chunks`, `{"chunks":[${duplicates}]}`)).toMatchObject({
      status: 422,
    })
  })

  /** Headings of three levels, and marks that are no headings. */
  const tricky = String.raw`[{"]}[{\\":[{},"{[[\"",`
  const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)

  test('of 128 levels is refused like any other', async () => {
    const { call, knowledgeBase } = tenant
    expect(await call('POST', knowledgeBase, levels(128))).toMatchObject({ status: 422 })
    expect(await call('POST', knowledgeBase, `{"title":${levels(127)}}`)).toMatchObject({ status: 422 })
    const chunks = `{"chunks":[{"content":"c","chunk_index":0,"metadata":{"a":${levels(124)}}}]}`
    expect(await call('POST', `${knowledgeBase}/${newId()}/chunks`, chunks)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/chunks/0/metadata', detail: 'must have at most 8 levels' }] },
    })
  })

  test.each([
    ['arrays', levels(129), 'line 1, column 129'],
    ['arrays that are never closed', '\n'.repeat(9) + '['.repeat(5_000_000), 'line 10, column 129'],
    ['objects', `${'{"a":'.repeat(129)}0${'}'.repeat(129)}`, 'line 1, column 641'],
    ['both, and what opens none', tricky.repeat(99), `line 1, column ${42 * tricky.length + tricky.indexOf(':[') + 2}`],
  ])('of more levels, of %s, is refused before it is read, and says where', async (_, text, place) => {
    const { call, knowledgeBase } = tenant
    const detail = `The body has more than 128 levels of arrays and objects: ${place} opens one more.`
    expect(await call('POST', knowledgeBase, text)).toMatchObject({
      status: 400,
      body: { code: 'invalid_json', detail },
    })
  })

  test.each([
    ['brackets in texts', `{"title":"${'[{'.repeat(200)}"}`],
    ['arrays beside each other', `{"title":"T","content":${JSON.stringify('[]{}\\"'.repeat(200))}}`],
  ])('is not the deeper for %s', async (_, text) => {
    const { call, knowledgeBase } = tenant
    expect(await call('POST', knowledgeBase, text)).toMatchObject({ status: 201 })
  })

  test('with as many levels as bytes takes hardly any memory', async () => {
    const { call, knowledgeBase } = tenant
    const text = levels(3_000_000)
    const before = process.memoryUsage().heapTotal
    await call('POST', knowledgeBase, text)
    expect(process.memoryUsage().heapTotal - before).toBeLessThan(100_000_000)
  })
})

describe('chunks', () => {
  const chunk = { content: 'c', chunk_index: 0 }
  let path: string
  beforeAll(async () => {
    path = await chunksPath(tenant)
  })
  /** Sends chunks that must be refused and leave the document without chunks. */
  const refused = async (chunks: unknown[] | string) => {
    const body = typeof chunks === 'string' ? `{"chunks":${chunks}}` : { chunks }
    const answer = await tenant.call('POST', path, body)
    expect(answer.status).toBe(422)
    expect((await tenant.call('GET', path)).body.data).toEqual([])
    return answer.body
  }
  const plainest = [0, 1e-15, -1e-15, 1.2345678901234568e-15, 1e20, -999999999999999900000]

  test.each([
    ['32,768 characters outside the basic plane', [{ ...chunk, content: '🐣'.repeat(32_768) }]],
    ['the index 1,000,000', [{ ...chunk, chunk_index: 1_000_000 }]],
    ['64 metadata keys', [{ ...chunk, metadata: wide(64) }]],
    ['8 levels of metadata', [{ ...chunk, metadata: nested(8) }]],
    ['256 metadata values', [{ ...chunk, metadata: { a: Array(254).fill(1), b: null } }]],
    ['the smallest and the largest numbers in metadata', [{ ...chunk, metadata: { a: plainest } }]],
    ['16 KiB of metadata', [{ ...chunk, metadata: { k: 'é'.repeat((16 * 1024 - 8) / 2) } }]],
    [
      'a vector of the least and of the greatest norm',
      [1e-6, 1e6].map((norm, chunk_index) => ({ ...chunk, chunk_index, embedding: axis(0).map((n) => n * norm) })),
    ],
    ['a batch of 200', Array.from({ length: 200 }, (_, chunk_index) => ({ ...chunk, chunk_index }))],
  ])('may have %s', async (_, chunks) => {
    const answer = await tenant.call('POST', await chunksPath(tenant), { chunks })
    expect(answer).toMatchObject({ status: 201, body: { chunk_count: chunks.length } })
    expect(answer.body.data[0]).toMatchObject({
      content: chunks[0]!.content,
      metadata: (chunks[0] as { metadata?: object }).metadata ?? {},
    })
  })

  const short = axis(0).slice(1)
  const base64Of = (numbers: number[]) => toBase64(Float32Array.from(numbers))
  const base64 = base64Of(axis(0))
  test.each<[string, unknown[], string]>([
    ['no chunk', [], '/chunks'],
    ['201 chunks', Array.from({ length: 201 }, (_, chunk_index) => ({ ...chunk, chunk_index })), '/chunks'],
    ['an empty content', [{ ...chunk, content: '' }], '/chunks/0/content'],
    ['a content of 32,769 characters', [{ ...chunk, content: 'é'.repeat(32_769) }], '/chunks/0/content'],
    ['an index below 0', [{ ...chunk, chunk_index: -1 }], '/chunks/0/chunk_index'],
    ['an index above 1,000,000', [{ ...chunk, chunk_index: 1_000_001 }], '/chunks/0/chunk_index'],
    ['a broken index', [{ ...chunk, chunk_index: 0.5 }], '/chunks/0/chunk_index'],
    ['no index', [{ content: 'c' }], '/chunks/0/chunk_index'],
    ['the same index twice', [chunk, { ...chunk, chunk_index: 1 }, chunk], '/chunks/2/chunk_index'],
    ['a vector of 1535 numbers', [{ ...chunk, embedding: short }], '/chunks/0/embedding'],
    ['a vector of zeros', [{ ...chunk, embedding: axis(-1) }], '/chunks/0/embedding'],
    ['a vector that is too short', [{ ...chunk, embedding: axis(0).map((n) => n * 9e-7) }], '/chunks/0/embedding'],
    ['a vector that is too long', [{ ...chunk, embedding: axis(0).map((n) => n * 1.1e6) }], '/chunks/0/embedding'],
    ['a number beyond 32 bits', [{ ...chunk, embedding: axis(0).map((n) => n * 1e39) }], '/chunks/0/embedding'],
    ['a vector with null', [{ ...chunk, embedding: [null, ...short] }], '/chunks/0/embedding'],
    ['a vector that is an object', [{ ...chunk, embedding: { ...axis(0) } }], '/chunks/0/embedding'],
    ['a vector in another text than base64', [{ ...chunk, embedding: String(axis(0)) }], '/chunks/0/embedding'],
    ['a vector of texts', [{ ...chunk, embedding: axis(0).map(String) }], '/chunks/0/embedding'],
    ['65 metadata keys', [{ ...chunk, metadata: wide(65) }], '/chunks/0/metadata'],
    ['257 metadata values', [{ ...chunk, metadata: { a: Array(255).fill(1), b: null } }], '/chunks/0/metadata'],
    ['9 levels of metadata', [{ ...chunk, metadata: nested(9) }], '/chunks/0/metadata'],
    ['over 16 KiB of metadata', [{ ...chunk, metadata: { k: 'é'.repeat(8 * 1024) } }], '/chunks/0/metadata'],
    ['metadata that is no object', [{ ...chunk, metadata: [] }], '/chunks/0/metadata'],
    ['a read-only field', [{ ...chunk, id: newId() }], '/chunks/0/id'],
  ])('may not have %s', async (_, chunks, pointer) => {
    expect(await refused(chunks)).toMatchObject({ errors: [{ pointer }] })
  })

  test.each([
    [short, 'must have exactly 1536 numbers, not 1535'],
    [[...short.slice(0, 3), null, ...short.slice(3)], 'Element 3 is not a finite 32-bit float'],
    [axis(0).map((n) => n * 1e39), 'Element 0 is not a finite 32-bit float'],
    [axis(-1), 'norm must be between 1e-6 and 1e6'],
    [base64.slice(4), 'must have exactly 8192 characters of base64, not 8188'],
    [`${base64}\n`, 'must have exactly 8192 characters of base64, not 8193'],
    [base64.replace('A', '-'), 'must be base64 with the characters A–Z, a–z, 0–9, + and /'],
    [base64.replace('A', ' '), 'must be base64 with the characters A–Z, a–z, 0–9, + and /'],
    [`${base64.slice(2)}==`, 'must be base64 with the characters A–Z, a–z, 0–9, + and /'],
    [base64Of(axis(3).map((n) => n * Number.NaN)), 'Element 0 is not a finite 32-bit float'],
    [base64Of(axis(3).map((n) => n / 0)), 'Element 0 is not a finite 32-bit float'],
    [base64Of(axis(-1)), 'norm must be between 1e-6 and 1e6'],
  ])('with an invalid vector are rejected with the reason (%#)', async (embedding, detail) => {
    expect((await refused([{ ...chunk, embedding }])).errors).toEqual([
      { pointer: '/chunks/0/embedding', code: 'invalid', detail },
    ])
  })

  test('may not have metadata that JSON can express and the database cannot store', async () => {
    const magnitude = 'must have only numbers that are 0 or have a magnitude of at least 1e-15 and less than 1e21'
    for (const [metadata, detail] of [
      ['{"a":1e999}', magnitude],
      ['{"a":1e21}', magnitude],
      ['{"a":[{"b":-1e308}]}', magnitude],
      ['{"a":9.9e-16}', magnitude],
      ['{"a":[5e-324]}', magnitude],
      ['{"a":[{"__proto__":1}]}', 'must not have the key __proto__'],
      ['{"__proto__":{"a":1}}', 'must not have the key __proto__'],
    ]) {
      const { errors } = await refused(`[{"content":"c","chunk_index":0,"metadata":${metadata}}]`)
      expect(errors).toEqual([{ pointer: '/chunks/0/metadata', code: 'invalid', detail }])
    }
  })

  test('with any numbers take little more space as text in the database than as JSON', async () => {
    const tenant = await stand.tenant()
    const path = await chunksPath(tenant)
    const metadata = { a: Array(254).fill(-1e-15), b: 'x'.repeat(16 * 1024 - 2050) }
    expect(await tenant.call('POST', path, { chunks: [{ ...chunk, metadata }] })).toMatchObject({ status: 201 })
    const { rows } = await sql<{ bytes: number }>`select octet_length(metadata::text) as bytes from chunks
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect(rows[0]!.bytes).toBeLessThan(20 * 1024)
  })

  test('list every fault of a batch', async () => {
    const { errors } = await refused([
      { content: '', chunk_index: -1, frob: 1, nicate: 2 },
      null,
      { content: 1, chunk_index: -1, metadata: 'x' },
    ])
    expect(errors.map((fault: { pointer: string }) => fault.pointer).toSorted()).toEqual([
      ...'/chunks/0/chunk_index /chunks/0/content /chunks/0/frob /chunks/0/nicate /chunks/1'.split(' '),
      ...'/chunks/2/chunk_index /chunks/2/chunk_index /chunks/2/content /chunks/2/metadata'.split(' '),
    ])
  })

  test('are refused past 10,000 of a document, all or none', async () => {
    const tenant = await stand.tenant()
    const path = await chunksPath(tenant)
    const document = path.split('/').at(-2)!
    await tenant.call('POST', path, { chunks: [chunk] })
    await stand.db.updateTable('documents').set({ chunk_count: 9_999 }).where('id', '=', document).execute()
    const two = { chunks: [1, 2].map((chunk_index) => ({ ...chunk, chunk_index })) }
    const answer = await tenant.call('POST', path, two, { 'idempotency-key': 'k' })
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(answer.body.detail).toContain('10,000')
    expect((await tenant.call('GET', path)).body.data).toHaveLength(1)
    expect(await tenant.call('POST', path, { chunks: two.chunks.slice(1) })).toMatchObject({ status: 201 })
  })
})

describe('a search', () => {
  test.each<[string, object, string]>([
    ['neither query nor embedding', {}, ''],
    ['an empty query', { query: '' }, '/query'],
    ['a query of white space', { query: ' \n\u3000' }, '/query'],
    ['words in demand, and none', { mode: 'keyword' }, '/query'],
    ['words and meaning in demand, and an embedding alone', { mode: 'hybrid', embedding: axis(0) }, '/query'],
    ['meaning in demand, and neither query nor embedding', { mode: 'semantic' }, ''],
    ['another mode', { query: 'q', mode: 'fuzzy' }, '/mode'],
    ['a deadline of 49 ms', { query: 'q', deadline_ms: 49 }, '/deadline_ms'],
    ['a deadline of 10,001 ms', { query: 'q', deadline_ms: 10_001 }, '/deadline_ms'],
    ['a deadline of half milliseconds', { query: 'q', deadline_ms: 99.5 }, '/deadline_ms'],
    ['a query of 8,001 characters', { query: 'é'.repeat(8_001) }, '/query'],
    ['the limit 0', { query: 'q', limit: 0 }, '/limit'],
    ['the limit 51', { query: 'q', limit: 51 }, '/limit'],
    ['a limit in words', { query: 'q', limit: '5' }, '/limit'],
    ['a min_score above 1', { query: 'q', min_score: 1.01 }, '/min_score'],
    ['101 document ids', { query: 'q', document_ids: Array.from({ length: 101 }, newId) }, '/document_ids'],
    ['a malformed document id', { query: 'q', document_ids: [newId(), 'x'] }, '/document_ids/1'],
    ['a metadata list', { query: 'q', metadata: ['a'] }, '/metadata'],
    ['a filter of 65 values', { query: 'q', metadata: { ...wide(56), list: Array(8).fill(1) } }, '/metadata'],
    [
      '9 listed values in a filter',
      { query: 'q', metadata: { a: Array(4).fill(1), b: [{ c: [1, 2, 3] }] } },
      '/metadata',
    ],
    ['a number in a filter that has no short decimal form', { query: 'q', metadata: { a: 1e300 } }, '/metadata'],
  ])('may not have %s', async (_, body, pointer) => {
    const { call, knowledgeBase } = bare
    const answer = await call('POST', `${knowledgeBase}/search`, body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } })
  })

  test('may have a filter of 64 values, 8 of them in lists', async () => {
    const tenant = await stand.tenant()
    const path = await chunksPath(tenant)
    const filter = { ...wide(54), list: [1, [2], { x: { y: 1e-15 } }, 1e20, 'é'], more: {} }
    const metadata = { ...filter, list: [...filter.list, ...Array(180).fill(0)] }
    const chunks = [{ content: 'c', chunk_index: 0, embedding: axis(0), metadata }]
    expect(await tenant.call('POST', path, { chunks })).toMatchObject({ status: 201 })
    await tenant.call('PATCH', path.replace('/chunks', ''), { status: 'completed' })
    const search = (of: object) =>
      tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(0), metadata: of })
    expect(await search(filter)).toMatchObject({ status: 200, body: { data: [{ metadata }] } })
    expect(await search({ ...filter, k0: -1 })).toMatchObject({ status: 200, body: { data: [] } })
  })

  test('may have the longest query, 100 documents and 50 hits', async () => {
    const { call, knowledgeBase } = bare
    const most = { deadline_ms: 10_000, limit: 50, document_ids: Array.from({ length: 100 }, newId) }
    const body = { query: '🐣'.repeat(8_000), mode: 'hybrid', min_score: 0, metadata: {}, ...most }
    expect(await call('POST', `${knowledgeBase}/search`, body)).toMatchObject({ status: 200, body: { data: [] } })
  })
})
