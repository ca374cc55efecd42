import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const provider = useFakeProvider()
const stand = useStand()
let search: ReturnType<typeof newSearch>['search']
beforeAll(() => {
  search = newSearch(provider, { embedder: lexicalEmbedder() }).search
})

const [daily, monthly] = ['The e-bike costs 30 euros a day.', 'The e-bike costs 200 euros for a month.']

async function rental() {
  const tenant = await stand.tenant()
  const texts = [daily, monthly, 'The helmet costs 9 euros for a month.', 'The helmet costs 2 euros a day.']
  for (const content of texts) await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
  await stand.deliver()
  return tenant
}

const found = async (tenant: Tenant, body: object): Promise<Hit[]> => (await search(tenant, body)).body.data
const turns = async ({ organizationId }: Tenant) =>
  (await sql<{ call_id: string }>`select * from call_turns where organization_id = ${organizationId}`.execute(stand.db))
    .rows

test('a call’s next question uses its earlier questions and passages', async () => {
  const tenant = await rental()
  const call_id = 'call 1'
  const first = await found(tenant, { query: 'how much is an e-bike a day', limit: 1, call_id })
  expect(first).toMatchObject([{ content: daily }])
  const asked = { query: 'and monthly for a month', mode: 'keyword' }
  const remembered = await found(tenant, { ...asked, call_id })
  const seen = first.map(({ chunk_id }) => chunk_id)
  expect(remembered).toEqual(await found(tenant, { ...asked, history: ['how much is an e-bike a day'], seen }))
  expect(remembered).not.toEqual(await found(tenant, asked))
  expect(remembered[0]).toMatchObject({ content: monthly })
})

test('other calls, agents and organizations, and questions with a history of their own, do not use a call’s turns', async () => {
  const [tenant, other] = [await rental(), await rental()]
  const asked = { query: 'and for a month', mode: 'keyword' }
  const alone = await found(tenant, asked)
  await found(tenant, { query: 'how much is an e-bike a day', call_id: 'c' })
  await found(other, { query: 'how much is a helmet a day', call_id: 'c' })
  expect(await found(tenant, { ...asked, call_id: 'd' })).toEqual(alone)
  expect(await found(tenant, { ...asked, call_id: 'c', history: [] })).toEqual(alone)
  expect(await found(tenant, { ...asked, call_id: 'c', remember: false })).toEqual(alone)
})

test('the same question, repeated as after a time-out, gets the same answer', async () => {
  const tenant = await rental()
  const asked = { query: 'how much is an e-bike', call_id: 'c' }
  const first = await found(tenant, asked)
  expect(await found(tenant, asked)).toEqual(first)
})

test('a question without a call, or with `remember` off, is not stored', async () => {
  const tenant = await rental()
  await found(tenant, { query: 'how much is an e-bike', call_id: 'c', remember: false })
  await found(tenant, { query: 'how much is an e-bike' })
  expect(await turns(tenant)).toEqual([])
})

test('the last ten turns of a call are kept, for an hour, without their text', async () => {
  const tenant = await rental()
  await Promise.all(Array.from({ length: 14 }, (_, i) => found(tenant, { query: `bike ${i}`, call_id: 'c' })))
  await found(tenant, { query: 'how much is an e-bike', call_id: 'c' })
  const kept = await turns(tenant)
  expect(kept.length).toBe(10)
  expect(JSON.stringify(kept)).not.toContain('bike')
  const asked = { query: 'and for a month', mode: 'keyword' }
  await sql`update call_turns set asked_at = asked_at - interval '1 hour' where organization_id = ${tenant.organizationId}`.execute(
    stand.db,
  )
  expect(await found(tenant, { ...asked, call_id: 'c' })).toEqual(await found(tenant, asked))
})

test('an agent’s remembered calls are deleted with it', async () => {
  const tenant = await rental()
  await found(tenant, { query: 'how much is an e-bike', call_id: 'c' })
  expect(await turns(tenant)).toMatchObject([{ call_id: 'c' }])
  await sql`delete from agents where organization_id = ${tenant.organizationId}`.execute(stand.db)
  expect(await turns(tenant)).toEqual([])
})
