import { expect, test } from 'vitest'
import { axis } from '../support/axis.ts'
import { useFakeProvider } from '../support/fake-provider.ts'
import { newSearch } from '../support/own-search.ts'
import { useRequestCount } from '../support/request-count.ts'
import { useStand } from '../support/stand.ts'
import { newWorker } from '../support/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

const requestsOf = useRequestCount()

test('with a known key a request asks the database once, and a PATCH twice', async () => {
  const tenant = await stand.tenant()
  const { knowledgeBase } = tenant
  const { body } = await tenant.call('POST', knowledgeBase, { title: 'T' })
  const path = `${knowledgeBase}/${body.id}`
  const chunks = (index: number) => ({ chunks: [{ content: 'c', chunk_index: index, embedding: axis(index) }] })
  const filter = { embedding: axis(1), document_ids: [body.id], metadata: { start: 0 } }
  const made: [string, string, unknown?][] = [
    ['POST', `${knowledgeBase}/search`, { embedding: axis(1) }],
    ['POST', `${knowledgeBase}/search`, { ...filter, limit: 50 }],
    ['POST', knowledgeBase, { title: 'T', content: 'A text.' }],
    ['POST', `${knowledgeBase}/batch`, { documents: Array(100).fill({ title: 'T', content: 'A text.' }) }],
    ['GET', knowledgeBase],
    ['GET', path],
    ['POST', `${path}/chunks`, chunks(0)],
    ['GET', `${path}/chunks?include=embedding`],
    ['PATCH', path, { status: 'completed' }],
    ['DELETE', `${path}/chunks`],
    ['DELETE', path],
    ['GET', '/v1/organization'],
    ['GET', '/v1/agents'],
    ['GET', `/v1/agents/${tenant.agentId}`],
  ]
  // Each Lambda asks for the key once.
  await tenant.call('POST', `${path}/chunks`, chunks(7))
  await tenant.call('POST', `${knowledgeBase}/search`, { embedding: axis(1) })
  await tenant.call('GET', '/v1/organization')
  await tenant.call('GET', '/v1/agents')
  const counted: string[] = []
  for (const [method, at, input] of made) {
    const count = await requestsOf(async () => {
      expect((await tenant.call(method, at, input)).status).toBeLessThan(300)
    })
    counted.push(`${method} ${at.replace(path, '{document}').replace(knowledgeBase, '{agent}')}: ${count}`)
  }
  expect(counted.filter((line) => !line.endsWith(': 1'))).toEqual(['PATCH {document}: 2'])
})

test('a question that was asked or prefetched before asks the database once, on another instance too', async () => {
  const tenant = await stand.tenant()
  const first = newSearch(provider)
  // Each instance asks for the key once.
  const [second, third] = [newSearch(provider), newSearch(provider)]
  for (const { search } of [first, second, third]) await search(tenant, { query: 'q', mode: 'keyword' })
  expect(await requestsOf(() => first.search(tenant, { query: 'asked' }))).toBe(2)
  expect(await requestsOf(() => first.prefetch(tenant, 'prefetched'))).toBe(2)
  const calls = provider.calls.length
  for (const query of ['asked', 'prefetched'])
    for (const mode of ['hybrid', 'semantic'])
      for (const { search } of [first, second, third])
        expect(await requestsOf(() => search(tenant, { query, mode }))).toBe(1)
  expect(await requestsOf(() => second.prefetch(tenant, 'asked'))).toBe(1)
  expect(provider.calls).toHaveLength(calls)
})

test('a worker brings a small document from pending to completed in two round trips, an edited one too', async () => {
  const tenant = await stand.tenant()
  const sentences = Array.from({ length: 20 }, (_, i) => `Sentence number ${i} tells of one thing.`)
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: sentences.join('\n\n') })
  const document = { id: body.id, organizationId: tenant.organizationId }
  const work = newWorker(stand, provider)
  expect(await requestsOf(() => work([document]))).toBe(2)
  const path = `${tenant.knowledgeBase}/${body.id}`
  await tenant.call('PATCH', path, { content: sentences.with(3, 'Another one.').join('\n\n') })
  expect(await requestsOf(() => work([document]))).toBe(2)
  await tenant.call('PATCH', path, { content: sentences.slice(5).join('\n\n') })
  expect(await requestsOf(() => work([document]))).toBe(2)
  expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'completed', chunk_count: 15 })
})
