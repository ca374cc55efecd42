import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { Random } from '../simulation/random.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'
import { isThorough } from '../support/tools/effort.ts'

const stand = useStand()

const words = [
  ...'lamp bell wheel chain pedal saddle brake tyre spoke frame pump lock basket helmet rack Kowalski Brunner'.split(
    ' ',
  ),
  ...'K-4471 A-2020 24.90 Bremshebelgriff guarantee appointment deposit invoice the and how much'.split(' '),
]
const spoken = [...words, 'Kovalsky', 'k four four seven one', 'twenty four ninety', 'unheard', 'zeppelin']

function list(tenant: Tenant, chunks: number) {
  return sql`select list_chunks(${tenant.organizationId}, ${tenant.agentId}, ${chunks})`.execute(stand.db)
}

/** Two agents with the same documents. Every change is made to both, but only one's terms are listed. */
async function twins() {
  const plain = await stand.tenant()
  const { id: agentId } = await createAgent(stand.db, plain.organizationId as OrganizationId, 'Listed')
  const listed = { ...plain, agentId, knowledgeBase: `/v1/agents/${agentId}/knowledge-base` }
  const documents: { title: string; ids: [string, string]; next: number }[] = []
  const both = async <T>(action: (tenant: Tenant, twin: 0 | 1) => Promise<T>) =>
    [await action(plain, 0), await action(listed, 1)] as [T, T]
  return { plain, listed, documents, both }
}

test('sums over bit strings have the right digits', async () => {
  const random = new Random(7)
  const lists = Array.from({ length: 9 }, () => Array.from({ length: 200 }, () => random.below(2)))
  const weights = lists.map(() => random.below(110))
  const bits = lists.map((list) => list.join(''))
  const { rows } = await sql<{ digits: string }>`
    select array_to_string(sums(${bits}::bit varying[], ${weights}), ' ') as digits`.execute(stand.db)
  const digits = rows[0]!.digits.split(' ')
  const sums = lists[0]!.map((_, at) => digits.reduce((sum, digit, i) => sum + Number(digit[at]) * 2 ** i, 0))
  expect(sums).toEqual(lists[0]!.map((_, at) => weights.reduce((sum, weight, n) => sum + weight * lists[n]![at]!, 0)))
})

test('random changes and questions give an agent the same hits and scores with term lists as without', async () => {
  const random = new Random(5)
  const { plain, listed, documents, both } = await twins()
  // The square makes the first words frequent.
  const word = (of: string[]) => of[Math.floor((random.below(1000) / 1000) ** 2 * of.length)]!
  const text = (length: number) => Array.from({ length: 1 + random.below(length) }, () => word(words)).join(' ')
  const post = async (ids: [string, string], next: number, chunks: number) => {
    const texts = Array.from({ length: chunks }, (_, i) => ({
      content: text(random.below(8) === 0 ? 150 : 30),
      chunk_index: next + i,
      embedding: axis(1),
    }))
    await both(({ call, knowledgeBase }, twin) =>
      call('POST', `${knowledgeBase}/${ids[twin]}/chunks`, { chunks: texts }).then(({ status }) =>
        expect(status).toBe(201),
      ),
    )
  }
  const complete = (ids: [string, string]) =>
    both(({ call, knowledgeBase }, twin) => call('PATCH', `${knowledgeBase}/${ids[twin]}`, { status: 'completed' }))
  const upload = async (chunks: number) => {
    const title = `${documents.length} ${random.below(3) === 0 ? text(3) : 'leaflet'}`
    const ids = (await both(
      async ({ call, knowledgeBase }) => (await call('POST', knowledgeBase, { title })).body.id,
    )) as [string, string]
    await post(ids, 0, chunks)
    await complete(ids)
    documents.push({ title, ids, next: chunks })
  }
  const any = () => documents[random.below(documents.length)]!
  const changes = [
    () => upload(20),
    async () => {
      const document = any()
      await post(document.ids, document.next, 5)
      document.next += 5
    },
    async () => {
      const [document] = documents.splice(random.below(documents.length), 1)
      await both(({ call, knowledgeBase }, twin) => call('DELETE', `${knowledgeBase}/${document!.ids[twin]}`))
    },
    async () => {
      const { ids } = any()
      await both(({ call, knowledgeBase }, twin) => call('DELETE', `${knowledgeBase}/${ids[twin]}/chunks`))
      await post(ids, 0, 10)
      if (random.below(2)) await complete(ids)
    },
    async () => {
      const { ids } = any()
      const title = text(3)
      await both(({ call, knowledgeBase }, twin) => call('PATCH', `${knowledgeBase}/${ids[twin]}`, { title }))
    },
    async () => {
      const { ids } = any()
      const [from, until] = [[], [-1], [1], [-2, -1], [-1, 1]][random.below(5)]!
      const time = (days: number | undefined) => (days ? new Date(Date.now() + days * 86_400_000).toISOString() : null)
      const dates = until
        ? { valid_from: time(from), valid_until: time(until) }
        : { valid_from: time(from), valid_until: null }
      await both(({ call, knowledgeBase }, twin) => call('PATCH', `${knowledgeBase}/${ids[twin]}`, dates))
    },
    async () => {
      const { ids } = any()
      const paragraphs = Array.from({ length: 6 }, () => `## ${word(words)}\n\n${text(60)}`)
      const content = () => paragraphs.join('\n\n')
      for (const heading of [undefined, '## Edited']) {
        if (heading) paragraphs[2] = `${heading}\n\n${text(60)}`
        await both(({ call, knowledgeBase }, twin) =>
          call('PATCH', `${knowledgeBase}/${ids[twin]}`, { content: content() }),
        )
        if (!heading || random.below(2)) await stand.deliver()
        if (!heading) await list(listed, 1000)
      }
    },
  ]
  const hitsOf = async ({ call, knowledgeBase }: Tenant, twin: number, asked: object) => {
    const { status, body } = await call('POST', `${knowledgeBase}/search`, { mode: 'keyword', limit: 50, ...asked })
    expect(status).toBe(200)
    const numbers = new Map(documents.map(({ ids }, number) => [ids[twin], number]))
    const hits: { document_id: string; chunk_index: number; content: string; score: number }[] = body.data
    // Sums of the same numbers in another order may differ in the last digit, which reorders ties.
    const rounded = hits.map((hit) => ({ ...hit, score: Number(hit.score.toFixed(12)) }))
    const last = rounded.length === 50 ? rounded.at(-1)!.score : 0
    return {
      scores: rounded.map((hit) => hit.score),
      hits: rounded
        .filter((hit) => hit.score > last)
        .map((hit) => `${hit.score} ${numbers.get(hit.document_id)} ${hit.chunk_index} ${hit.content}`)
        .sort(),
    }
  }
  for (let i = 0; i < 8; i++) await upload(60)
  await list(listed, 1000)
  let scored = 0
  for (let i = 0; i < (isThorough ? 60 : 16); i++) {
    await changes[i % changes.length]!()
    if (random.below(3) === 0) await list(listed, 100)
    for (let j = 0; j < 6; j++) {
      const question = () => Array.from({ length: 1 + random.below(9) }, () => word(spoken)).join(' ')
      const asked = { query: question(), ...(j === 5 && { alternatives: [question(), question()] }) }
      const expected = await hitsOf(plain, 0, asked)
      expect(await hitsOf(listed, 1, asked), JSON.stringify(asked)).toEqual(expected)
      scored += expected.hits.length
    }
  }
  expect(scored).toBeGreaterThan(1000)
  const { rows } = await sql<{ listed: number }>`select count(ordinal)::int as listed from chunk_terms
    where agent_id = ${listed.agentId}`.execute(stand.db)
  expect(rows[0]!.listed).toBeGreaterThan(100)
})

test('the sweeper lists the terms of an agent with 2,000 chunks, and removes those of a deleted document', async () => {
  const tenant = await stand.tenant()
  const small = await stand.tenant()
  const swept = () => sweep(sweeperWith(keptQueue().queue))
  await storeServed(stand.db, small, Array(100).fill({ vector: axis(2) }))
  const first = await storeServed(stand.db, tenant, Array(1900).fill({ vector: axis(2) }))
  const listedOf = async ({ agentId }: Tenant) => {
    const { rows } = await sql<{ bits: number; lists: number }>`
      select coalesce(sum(bit_count(present)) filter (where term = 0), 0)::int as bits, count(*)::int as lists
      from term_lists where agent_id = ${agentId}`.execute(stand.db)
    return rows[0]!
  }
  // Other tests may have left chunks to list.
  await swept()
  expect((await listedOf(tenant)).lists).toBe(0)
  await storeServed(stand.db, tenant, Array(200).fill({ vector: axis(2) }))
  expect((await swept()).chunks_listed).toBe(2100)
  expect((await listedOf(tenant)).bits).toBe(2100)
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${first}`)
  expect((await swept()).chunks_listed).toBe(0)
  expect((await listedOf(tenant)).bits).toBe(200)
  expect(await listedOf(small)).toEqual({ bits: 0, lists: 0 })
})
