import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countChunks, emptyIndex } from '../../shared/retrieval/index/agent-index.ts'
import { upToDate } from '../../shared/retrieval/index/changes.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { scopeOf, searchDatabaseOf } from './knowledge.ts'

const stand = useStand()

const [parrot, ferry] = ['The parrot is called Rosalinde.', 'The ferry leaves at noon.']

async function withDocuments() {
  const tenant = await stand.tenant()
  const ids = await serveTexts(stand, tenant, [{ content: parrot }, { content: ferry }])
  const db = searchDatabaseOf(tenant)
  const load = () => upToDate(db, emptyIndex(scopeOf(tenant)))
  return { ...tenant, ids: ids as [string, string], db, load }
}

/** Lets a document have so many chunks, all alike. */
async function grow({ organizationId, agentId }: Tenant, id: string, count: number): Promise<void> {
  await stand.db.batch({
    moved: sql`update agents set served_version = served_version + 1
      where organization_id = ${organizationId} and id = ${agentId}`,
    pack: sql`update packs p set version = a.served_version,
        chunks = decode(repeat(encode(p.chunks, 'hex'), ${count}::int), 'hex')
      from agents a where a.id = p.agent_id and p.document_id = ${id}`,
  })
}

async function find({ call, knowledgeBase }: Tenant, query: string): Promise<string[]> {
  const { body } = await call('POST', `${knowledgeBase}/search`, { query, mode: 'keyword' })
  return body.data.map(({ content }: { content: string }) => content)
}

test('changes that come in several parts are all read, also the last ones without chunks', async () => {
  const tenant = await withDocuments()
  const [one, other] = tenant.ids
  expect([await find(tenant, 'parrot'), await find(tenant, 'ferry')]).toEqual([[parrot], [ferry]])
  const chunks = 60_000
  await grow(tenant, one, chunks)
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${other}?trash=true`)
  const { rows } = await sql<{
    bytes: number
  }>`select octet_length(chunks) as bytes from packs where document_id = ${one}`.execute(stand.db)
  // More than the database returns at a time.
  expect(rows[0]!.bytes).toBeGreaterThan(10 * 2 ** 20)
  expect(await find(tenant, 'ferry')).toEqual([])
  expect(countChunks(await tenant.load())).toBe(chunks)
  await tenant.call('POST', `${tenant.knowledgeBase}/${other}/restore`)
  expect(await find(tenant, 'ferry')).toEqual([ferry])
  expect(countChunks(await tenant.load())).toBe(chunks + 1)
})

test('an index is read anew after the database was restored to an earlier state', async () => {
  const tenant = await withDocuments()
  const before = await tenant.load()
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${tenant.ids[0]}?trash=true`)
  const now = await tenant.load()
  expect([countChunks(before), countChunks(now)]).toEqual([2, 1])
  expect(countChunks(await upToDate(tenant.db, { ...before, version: now.version + 1 }))).toBe(1)
})

test('a change of a document is checked even if the database can’t return its chunks at a time', async () => {
  const tenant = await withDocuments()
  const { call, knowledgeBase, agentId, organizationId, ids } = tenant
  const golden = { question: 'What is the parrot called?', expects: { words: 'Rosalinde' }, on_failure: 'block' }
  expect((await call('POST', `/v1/agents/${agentId}/golden-questions`, golden)).status).toBe(201)
  await stand.db.batch({
    // One term, half a million times, in 16 bytes each.
    grown: sql`update chunks set terms = terms || decode(repeat('81' || repeat('80', 14) || '00', 500000), 'hex')
      where document_id = ${ids[1]}`,
    packed: sql`select renew_pack(${organizationId}, ${ids[1]})`,
  })
  expect((await call('PATCH', `${knowledgeBase}/${ids[1]}`, { title: 'Ferries' })).status).toBe(200)
  const { status, body } = await call('DELETE', `${knowledgeBase}/${ids[0]}?trash=true`)
  expect([status, body.code]).toEqual([409, 'golden_questions_fail'])
})
