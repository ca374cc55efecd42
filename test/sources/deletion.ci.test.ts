import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { Unavailable } from '../../shared/unavailable.ts'
import { useStand } from '../support/stand/stand.ts'
import { giveServed, sourceOf } from './source-of.ts'

const stand = useStand()

/** A source with this many documents that search serves, of two chunks each. */
async function websiteWith(documents: number) {
  const source = await sourceOf(stand, 'https://paws-inn.example/')
  const { agentId, call, knowledgeBase, id } = source
  await giveServed(stand, source, documents)
  await sql`insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count)
    select d.organization_id, gen_random_uuid(), d.agent_id, d.id, 1, n, 'x', 1 from documents d, generate_series(0, 1) n
    where d.source_id = ${id}`.execute(stand.db)
  const own = (await call('POST', knowledgeBase, { title: 'Own', content: 'Not of the source.' })).body.id as string
  const left = async () => {
    const { body: page } = await call('GET', `${knowledgeBase}?limit=2`)
    return page.data.map(({ id }: { id: string }) => id)
  }
  return { ...source, sources: `/v1/agents/${agentId}/sources`, own, left }
}

test('a source of 5,000 documents is deleted within its request, or afterwards by the crawler', async () => {
  const { call, source, sources, own, left, deliver } = await websiteWith(5_000)
  const began = performance.now()
  const answer = await call('DELETE', source)
  const seconds = (performance.now() - began) / 1_000
  expect(seconds).toBeLessThan(10)
  expect([202, 204]).toContain(answer.status)
  if (answer.status === 202) expect(answer.body.status).toBe('deleting')
  else expect(await left()).toEqual([own])
  await deliver()
  expect(await left()).toEqual([own])
  expect((await call('GET', sources)).body.data).toEqual([])
  expect((await call('DELETE', source)).body.code).toBe('source_not_found')
})

test('a source that is being deleted is listed as such and takes no change, and the crawler finishes it', async () => {
  const { call, source, sources, own, left, deliver, id } = await websiteWith(250)
  await sql`update sources set status = 'deleting', attempt = 9 where id = ${id}`.execute(stand.db)
  expect((await call('GET', sources)).body.data).toMatchObject([{ id, status: 'deleting' }])
  for (const [method, path, body] of [
    ['PATCH', source, { refresh_hours: 2 }],
    ['POST', `${source}/refresh`, undefined],
  ] as const)
    expect((await call(method, path, body)).body.code).toBe('source_not_found')
  expect((await call('POST', sources, { url: 'https://paws-inn.example/' })).body.code).toBe('source_exists')
  await deliver()
  expect((await call('GET', sources)).body.data).toEqual([])
  expect(await left()).toEqual([own])
})

test('a deletion that stops in its request, and then in the crawler, continues after the sweeper’s next message', async () => {
  const { call, sources, own, left, deliver, id, state, queued } = await websiteWith(250)
  const remaining = async () => (await call('GET', sources)).body.data[0]?.page_count
  const due = (lease: string | null) =>
    sql`update sources set status = 'deleting', resend_at = now(), lease_expires_at = now() + ${lease}::interval
      where id = ${id}`.execute(stand.db)
  await due(null)
  await stand.sweep()
  expect(await queued()).toContain(id)
  let steps = 0
  state.remaining = () => {
    if (++steps > 1) throw new Unavailable('database', new Error('The crawler has ended.'))
    return 300_000
  }
  await deliver()
  expect(await remaining()).toBe(150)
  await due('1 minute')
  await stand.sweep()
  expect(await queued()).not.toContain(id)
  await due('-1 second')
  await stand.sweep()
  expect(await queued()).toContain(id)
  state.remaining = () => 300_000
  await Promise.all([deliver(), deliver()])
  expect((await call('GET', sources)).body.data).toEqual([])
  expect(await left()).toEqual([own])
})
