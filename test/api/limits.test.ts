import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { serveChunks } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
let tenant: Tenant
/** A tenant for refused requests, which stays empty. */
let bare: Tenant
beforeAll(async () => {
  tenant = await stand.tenant()
  bare = await stand.tenant()
})

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

  /** Opens three levels, and has brackets in its texts. */
  const tricky = String.raw`[{"]}[{\\":[{},"{[[\"",`
  const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)

  test('of 128 levels is parsed, and refused for its content', async () => {
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
    [
      'both, beside brackets in texts',
      tricky.repeat(99),
      `line 1, column ${42 * tricky.length + tricky.indexOf(':[') + 2}`,
    ],
  ])('of more levels (%s) is refused before it is parsed, with the place', async (_, text, place) => {
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
  ])('may have %s', async (_, text) => {
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

describe('a search', () => {
  test.each<[string, object, string]>([
    ['neither query nor embedding', {}, ''],
    ['an empty query', { query: '' }, '/query'],
    ['a query of white space', { query: ' \n\u3000' }, '/query'],
    ['the mode keyword without a query', { mode: 'keyword' }, '/query'],
    ['the mode hybrid with an embedding alone', { mode: 'hybrid', embedding: axis(0) }, '/query'],
    ['the mode semantic with neither query nor embedding', { mode: 'semantic' }, ''],
    ['a deadline of 49 ms', { query: 'q', deadline_ms: 49 }, '/deadline_ms'],
    ['a deadline of 10,001 ms', { query: 'q', deadline_ms: 10_001 }, '/deadline_ms'],
    ['a deadline of a fraction of milliseconds', { query: 'q', deadline_ms: 99.5 }, '/deadline_ms'],
    ['a query of 8,001 characters', { query: 'é'.repeat(8_001) }, '/query'],
    ['the limit 0', { query: 'q', limit: 0 }, '/limit'],
    ['the limit 51', { query: 'q', limit: 51 }, '/limit'],
    ['a limit that is a text', { query: 'q', limit: '5' }, '/limit'],
    ['a min_score above 1', { query: 'q', min_score: 1.01 }, '/min_score'],
    ['101 document ids', { query: 'q', document_ids: Array.from({ length: 101 }, newId) }, '/document_ids'],
    ['a malformed document id', { query: 'q', document_ids: [newId(), 'x'] }, '/document_ids/1'],
    ['a metadata list', { query: 'q', metadata: ['a'] }, '/metadata'],
    ['a filter of 65 values', { query: 'q', metadata: { ...wide(56), list: Array(8).fill(1) } }, '/metadata'],
    ['9 listed values in a filter', { query: 'q', metadata: { a: [1, 1, 1, 1], b: [{ c: [1, 2, 3] }] } }, '/metadata'],
    ['a number in a filter that has no short decimal form', { query: 'q', metadata: { a: 1e300 } }, '/metadata'],
  ])('may not have %s', async (_, body, pointer) => {
    const { call, knowledgeBase } = bare
    const answer = await call('POST', `${knowledgeBase}/search`, body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } })
  })

  test('may have a filter of 64 values, 8 of them in lists', async () => {
    const tenant = await stand.tenant()
    const filter = { ...wide(54), list: [1, [2], { x: { y: 1e-15 } }, 1e20, 'é'], more: {} }
    const metadata = { ...filter, list: [...filter.list, ...Array(180).fill(0)] }
    await serveChunks(tenant, [{ content: 'c', chunk_index: 0, embedding: axis(0), metadata }])
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
