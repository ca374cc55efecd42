import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { createDocument } from '../support/documents/documents.ts'
import { pagesOf } from '../support/http/pages.ts'
import { axis } from '../support/provider/axis.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** @returns their ids, newest first */
async function makeDocuments(tenant: Tenant, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.unshift((await createDocument(tenant)).id)
  return ids
}

const idsOf = async (...list: Parameters<typeof pagesOf>): Promise<string[]> =>
  (await pagesOf(...list)).flat().map(({ id }) => id)

describe('the list of documents', () => {
  test('is newest first, and Link leads through its pages', async () => {
    const tenant = await stand.tenant()
    const ids = await makeDocuments(tenant, 6)
    expect(await idsOf(tenant, `${tenant.knowledgeBase}?limit=2`)).toEqual(ids)
    expect(await idsOf(tenant, `${tenant.knowledgeBase}?limit=4`)).toEqual(ids)
    expect(await idsOf(tenant, tenant.knowledgeBase)).toEqual(ids)
  })

  test('neither skips nor repeats documents while others are added and deleted', async () => {
    const tenant = await stand.tenant()
    const ids = await makeDocuments(tenant, 9)
    const gone = new Set<string>()
    const seen = await idsOf(tenant, `${tenant.knowledgeBase}?limit=2`, async ({ body }) => {
      await makeDocuments(tenant, 1)
      const read = body.data.at(-1).id
      const ahead = ids[ids.indexOf(read) + 2]
      for (const id of [read, ahead]) {
        if (id === undefined || gone.has(id)) continue
        await tenant.call('DELETE', `${tenant.knowledgeBase}/${id}`)
        gone.add(id)
      }
    })
    const stayed = ids.filter((id) => !gone.has(id))
    expect(stayed.length).toBeGreaterThan(2)
    expect(seen.filter((id) => stayed.includes(id))).toEqual(stayed)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('has pages of documents created in the same millisecond', async () => {
    const tenant = await stand.tenant()
    const ids = await makeDocuments(tenant, 5)
    await sql`update documents set created_at = '2026-01-01' where agent_id = ${tenant.agentId}`.execute(stand.db)
    expect(await idsOf(tenant, `${tenant.knowledgeBase}?limit=2`)).toEqual(ids)
  })

  test('keeps its filter from page to page', async () => {
    const tenant = await stand.tenant()
    const ids = await makeDocuments(tenant, 3)
    await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'text' })
    await stand.deliver()
    expect(await idsOf(tenant, `${tenant.knowledgeBase}?status=pending&limit=1`)).toEqual(ids)
    expect(await idsOf(tenant, `${tenant.knowledgeBase}?status=completed&limit=1`)).toHaveLength(1)
    expect(await idsOf(tenant, `${tenant.knowledgeBase}?status=error`)).toEqual([])
  })

  test('has nothing of another agent', async () => {
    const tenant = await stand.tenant()
    const other = await createAgent(stand.db, tenant.organizationId as never, 'Other')
    await makeDocuments(tenant, 1)
    const none = { data: [], has_more: false, next_cursor: null }
    expect((await tenant.call('GET', `/v1/agents/${other.id}/knowledge-base`)).body).toEqual(none)
  })
})

describe('the list of chunks', () => {
  const upload = (tenant: Tenant, path: string, ...indexes: number[]) =>
    tenant.call('POST', `${path}/chunks`, {
      chunks: indexes.map((chunk_index) => ({ content: `${chunk_index}`, chunk_index, embedding: axis(chunk_index) })),
    })

  test('is sorted by chunk_index, and neither skips nor repeats while chunks are added', async () => {
    const tenant = await stand.tenant()
    const [id] = await makeDocuments(tenant, 1)
    const path = `${tenant.knowledgeBase}/${id}`
    const { body } = await upload(tenant, path, 9, 7, 5, 3, 1)
    const ids = body.data.map((chunk: { id: string }) => chunk.id)
    const added = [0, 2, 4, 6, 8]
    const seen = await idsOf(tenant, `${path}/chunks?limit=2`, () => upload(tenant, path, added.shift()!))
    expect(seen.filter((chunk) => ids.includes(chunk))).toEqual(ids)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test.each([
    ['', axis],
    ['&encoding=base64', (index: number) => toBase64(Float32Array.from(axis(index)))],
  ])('has embeddings only on request, and then on every page%s', async (encoding, shown) => {
    const tenant = await stand.tenant()
    const [id] = await makeDocuments(tenant, 1)
    const path = `${tenant.knowledgeBase}/${id}`
    await upload(tenant, path, 0, 1, 2)
    await tenant.call('POST', `${path}/chunks`, { chunks: [{ content: 'none', chunk_index: 3 }] })
    expect((await tenant.call('GET', `${path}/chunks`)).body.data[0]).not.toHaveProperty('embedding')
    const embeddingsOf = ({ body }: Answer) => body.data.map((chunk: { embedding: unknown }) => chunk.embedding)
    const page = await tenant.call('GET', `${path}/chunks?include=embedding${encoding}&limit=2`)
    expect(embeddingsOf(page)).toEqual([shown(0), shown(1)])
    const next = await tenant.call('GET', /<(.+)>/.exec(page.headers.link!)![1]!)
    expect(embeddingsOf(next)).toEqual([shown(2), null])
  })
})

describe('among the parameters of a list', () => {
  test('limit is at most 20 where embeddings are included as numbers', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const path = `${knowledgeBase}/${newId()}/chunks`
    expect(await call('GET', `${path}?include=embedding&limit=20`)).toMatchObject({ status: 404 })
    expect(await call('GET', `${path}?include=embedding&limit=21`)).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'limit', detail: expect.stringContaining('at most 20 with') }] },
    })
    expect(await call('GET', `${path}?include=embedding&encoding=base64&limit=100`)).toMatchObject({ status: 404 })
    expect(await call('GET', `${path}?include=content`)).toMatchObject({ body: { errors: [{ parameter: 'include' }] } })
  })

  test.each([
    ['encoding=base64', 'must come with `include=embedding`'],
    ['include=embedding&encoding=float', 'must be `base64`'],
    ['include=embedding&encoding=', 'must be `base64`'],
  ])('encoding is refused in %s', async (query, detail) => {
    const { call, knowledgeBase } = await stand.tenant()
    expect(await call('GET', `${knowledgeBase}/${newId()}/chunks?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ parameter: 'encoding', detail }] },
    })
  })

  test('each invalid one is reported', async () => {
    const { call, knowledgeBase } = await stand.tenant()
    const { body } = await call('GET', `${knowledgeBase}?limit=0&status=done&frobnicate=1&limits=2`)
    const parameters = body.errors.map((fault: { parameter: string }) => fault.parameter)
    expect(parameters).toEqual('status limit frobnicate limits'.split(' '))
  })

  test('a cursor of another list or filter, or a forged one, is refused', async () => {
    const tenant = await stand.tenant()
    const other = await stand.tenant()
    const cursors: Record<string, string> = {}
    for (const [name, { knowledgeBase, call }] of Object.entries({ mine: tenant, theirs: other })) {
      await makeDocuments(name === 'mine' ? tenant : other, 2)
      cursors[name] = (await call('GET', `${knowledgeBase}?limit=1`)).body.next_cursor
    }
    const list = `documents ${tenant.agentId} `
    /** Changes the text of a cursor and keeps its signature. */
    const resign = (cursor: string, change: (text: string) => string) => {
      const decoded = Buffer.from(cursor, 'base64url').toString('latin1')
      const start = decoded.indexOf('[')
      return Buffer.from(decoded.slice(0, start) + change(decoded.slice(start)), 'latin1').toString('base64url')
    }
    const forge = (text: string) => {
      const digest = createHash('sha256').update(`${list}\n${text}`).digest('base64url').slice(0, 8)
      return Buffer.from(digest + text).toString('base64url')
    }
    const { theirs, mine } = cursors as { theirs: string; mine: string }
    const times = '02-31T00:00:00 01-01T00:00:00 01-01T23:59:60'.split(' ').map((time) => `2026-${time}.000Z`)
    const bad = [
      ...[theirs, '', 'garbage', 'x'.repeat(5000), '%00', '[]', mine.slice(1), mine.replace('', ' ')],
      ...['A', '=', '.'].map((end) => `${mine}${end}`),
      ...['{', '["yesterday","x"]', '[1]', 'null', ''].map(forge),
      ...['0000-01-01T00:00:00.000Z', ...times].map((time) => forge(JSON.stringify([time, newId()]))),
      resign(mine, (text) => text.replace(/20\d\d-/, '0000-')),
      resign(mine, () => ''),
    ]
    for (const cursor of bad) {
      const answer = await tenant.call('GET', `${tenant.knowledgeBase}?cursor=${encodeURIComponent(cursor)}`)
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
    }
    const filtered = await tenant.call('GET', `${tenant.knowledgeBase}?status=pending&cursor=${mine}`)
    expect(filtered).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
    expect(await tenant.call('GET', `${tenant.knowledgeBase}?cursor=${mine}`)).toMatchObject({ status: 200 })
  })
})
