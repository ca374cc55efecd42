import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { createDocument } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
let tenant: Tenant
beforeAll(async () => {
  tenant = await stand.tenant()
})

const chunksPath = async (tenant: Tenant) => `${(await createDocument(tenant)).path}/chunks`

const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) })
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]))

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
  const extremes = [0, 1e-15, -1e-15, 1.2345678901234568e-15, 1e20, -999999999999999900000]

  test.each([
    ['32,768 characters outside the basic plane', [{ ...chunk, content: '🐣'.repeat(32_768) }]],
    ['the index 1,000,000', [{ ...chunk, chunk_index: 1_000_000 }]],
    ['64 metadata keys', [{ ...chunk, metadata: wide(64) }]],
    ['8 levels of metadata', [{ ...chunk, metadata: nested(8) }]],
    ['256 metadata values', [{ ...chunk, metadata: { a: Array(254).fill(1), b: null } }]],
    ['the smallest and the largest numbers in metadata', [{ ...chunk, metadata: { a: extremes } }]],
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
    ['a fractional index', [{ ...chunk, chunk_index: 0.5 }], '/chunks/0/chunk_index'],
    ['no index', [{ content: 'c' }], '/chunks/0/chunk_index'],
    ['the same index twice', [chunk, { ...chunk, chunk_index: 1 }, chunk], '/chunks/2/chunk_index'],
    ['a vector that is too short', [{ ...chunk, embedding: axis(0).map((n) => n * 9e-7) }], '/chunks/0/embedding'],
    ['a vector that is too long', [{ ...chunk, embedding: axis(0).map((n) => n * 1.1e6) }], '/chunks/0/embedding'],
    ['a vector that is an object', [{ ...chunk, embedding: { ...axis(0) } }], '/chunks/0/embedding'],
    ['a vector in a text that is not base64', [{ ...chunk, embedding: String(axis(0)) }], '/chunks/0/embedding'],
    ['a vector of texts', [{ ...chunk, embedding: axis(0).map(String) }], '/chunks/0/embedding'],
    ['65 metadata keys', [{ ...chunk, metadata: wide(65) }], '/chunks/0/metadata'],
    ['257 metadata values', [{ ...chunk, metadata: { a: Array(255).fill(1), b: null } }], '/chunks/0/metadata'],
    ['9 levels of metadata', [{ ...chunk, metadata: nested(9) }], '/chunks/0/metadata'],
    ['over 16 KiB of metadata', [{ ...chunk, metadata: { k: 'é'.repeat(8 * 1024) } }], '/chunks/0/metadata'],
    ['metadata that is not an object', [{ ...chunk, metadata: [] }], '/chunks/0/metadata'],
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

  test('take little more space as text in the database than as JSON, whatever numbers they have', async () => {
    const tenant = await stand.tenant()
    const path = await chunksPath(tenant)
    const metadata = { a: Array(254).fill(-1e-15), b: 'x'.repeat(16 * 1024 - 2050) }
    expect(await tenant.call('POST', path, { chunks: [{ ...chunk, metadata }] })).toMatchObject({ status: 201 })
    const { rows } = await sql<{ bytes: number }>`select octet_length(metadata::text) as bytes from chunks
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect(rows[0]!.bytes).toBeLessThan(20 * 1024)
  })

  test('are refused with every fault of their batch', async () => {
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
})
