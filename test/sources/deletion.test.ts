import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useStand } from '../support/stand.ts'

const stand = useStand()

/** A source with so many documents that search serves, of two chunks each. */
async function sourceWith(documents: number) {
  const tenant = await stand.tenant()
  const { agentId, organizationId, call, knowledgeBase } = tenant
  const sources = `/v1/agents/${agentId}/sources`
  const { body } = await call('POST', sources, { url: 'https://paws-inn.example/' })
  await sql`insert into documents (organization_id, id, agent_id, title, external_id, source_id, source_type, content, content_hash,
      managed_by, status, active_revision, chunk_count)
    select ${organizationId}, gen_random_uuid(), ${agentId}, 'T', 'https://paws-inn.example/' || n, ${body.id}, 'txt', 'About ' || n, '',
      'service', 'completed', 1, 2
    from generate_series(1, ${documents}) n`.execute(stand.db)
  await sql`insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count)
    select d.organization_id, gen_random_uuid(), d.agent_id, d.id, 1, n, 'x', 1 from documents d, generate_series(0, 1) n
    where d.source_id = ${body.id}`.execute(stand.db)
  const own = (await call('POST', knowledgeBase, { title: 'Own', content: 'Not of the source.' })).body.id as string
  const message = JSON.stringify({ v: 1, organization_id: organizationId, source_id: body.id })
  const left = async () => {
    const { body: page } = await call('GET', `${knowledgeBase}?limit=2`)
    return page.data.map(({ id }: { id: string }) => id)
  }
  return {
    ...tenant,
    source: `${sources}/${body.id}`,
    sources,
    id: body.id as string,
    own,
    left,
    crawl: () => stand.crawler(message),
  }
}

test('a source of 5,000 documents is deleted within the time of a request, or after it by the crawler', async () => {
  const { call, source, sources, own, left, crawl } = await sourceWith(5_000)
  const began = performance.now()
  const answer = await call('DELETE', source)
  const seconds = (performance.now() - began) / 1_000
  expect(seconds).toBeLessThan(10)
  expect([202, 204]).toContain(answer.status)
  if (answer.status === 202) expect(answer.body.status).toBe('deleting')
  else expect(await left()).toEqual([own])
  await crawl()
  expect(await left()).toEqual([own])
  expect((await call('GET', sources)).body.data).toEqual([])
  expect((await call('DELETE', source)).body.code).toBe('source_not_found')
})

test('a source that is being deleted is listed as such, takes no change, and is finished by the crawler', async () => {
  const { call, source, sources, own, left, crawl, id } = await sourceWith(250)
  await sql`update sources set status = 'deleting', attempt = 9 where id = ${id}`.execute(stand.db)
  expect((await call('GET', sources)).body.data).toMatchObject([{ id, status: 'deleting' }])
  for (const [method, path, body] of [
    ['PATCH', source, { refresh_hours: 2 }],
    ['POST', `${source}/refresh`, undefined],
  ] as const)
    expect((await call(method, path, body)).body.code).toBe('source_not_found')
  expect((await call('POST', sources, { url: 'https://paws-inn.example/' })).body.code).toBe('source_exists')
  await crawl()
  expect((await call('GET', sources)).body.data).toEqual([])
  expect(await left()).toEqual([own])
})
