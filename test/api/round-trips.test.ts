import { expect, test } from 'vitest'
import { useStatementCount } from '../support/database/request-count.ts'
import { roundTripsOf } from '../support/database/statement-count.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { useStand } from '../support/stand/stand.ts'
import { newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

const statementsOf = useStatementCount()
const requestsOf = async (act: () => Promise<unknown>) => (await statementsOf(act)).length

test('a request with a known key is one statement, or a batch if one statement must see what another has locked', async () => {
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
    ['PATCH', path, { title: 'Another' }],
    ['PATCH', path, { metadata: { a: 1 } }],
    ['PATCH', path, { content: 'Instead of chunks.' }],
    ['PATCH', path, { content: 'Another text.' }],
    ['DELETE', `${path}/chunks`],
    ['DELETE', path],
    ['PUT', `${knowledgeBase}/by-external-id/new`, { title: 'T', content: 'A text.' }],
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
    const requests = await statementsOf(async () => {
      expect((await tenant.call(method, at, input)).status).toBeLessThan(300)
    })
    const shown = at.replace(path, '{document}').replace(knowledgeBase, '{agent}')
    const [changed = ''] = method === 'PATCH' ? Object.keys(input as object) : []
    counted.push(`${method} ${shown} ${changed}: ${requests.join(' + ')} in ${roundTripsOf(requests)}`)
  }
  expect(counted.filter((line) => !line.endsWith(': 1 in 2'))).toEqual([
    // The agent's first document was completed after the search before.
    'POST {agent}/search : 1 + 1 in 4',
    // Each statement sees what the earlier ones have locked, taken over and stored.
    'POST {document}/chunks : 8 in 18',
    // The reads decide on the change. It compares golden questions once it has the locks, and deletes vectors that no chunk names last.
    // A completed document's claims are read after that.
    'PATCH {document} status: 1 + 3 + 1 in 12',
    'PATCH {document} title: 1 + 2 in 8',
    'PATCH {document} metadata: 1 + 2 in 8',
    'PATCH {document} content: 1 + 2 in 8',
    'PATCH {document} content: 1 + 1 in 4',
    'DELETE {document}/chunks : 3 in 8',
    'DELETE {document} : 2 in 6',
    'PUT {agent}/by-external-id/new : 1 + 1 in 4',
  ])
})

test('an unknown key takes one more statement', async () => {
  const tenant = await stand.tenant()
  expect(await statementsOf(() => tenant.call('GET', '/v1/agents'))).toEqual([1, 1])
})

test('a question that was asked or prefetched before takes one database request, and one more where another instance asked it', async () => {
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
      for (const { search } of [first, second, third]) {
        const hasVector = search === first.search || mode === 'semantic'
        expect(await requestsOf(() => search(tenant, { query, mode }))).toBe(hasVector ? 1 : 2)
      }
  expect(await requestsOf(() => second.prefetch(tenant, 'asked'))).toBe(1)
  expect(provider.calls).toHaveLength(calls)
})

test('a worker completes a small document in two round trips, and an edited one too', async () => {
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
