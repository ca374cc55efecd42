import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type AgentOptions, openAgent } from '../../infra/library/open-agent.ts'
import { known, serveTexts, storeKnown, tenantWithDocuments } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)

const parking = { query: 'Where do guests park?', limit: 3 }

/** The tenant's agent in this process, closed when the test ends. */
async function open({ apiKey, agentId }: Tenant, options: Partial<AgentOptions> = {}) {
  const agent = await openAgent({ url: gateway.origin, key: apiKey, agentId, ...options })
  onTestFinished(() => agent.close())
  return agent
}

/** The answer over HTTP, without what only the library says. */
async function overHttp({ call, knowledgeBase }: Tenant, body: object) {
  return (await call('POST', `${knowledgeBase}/search`, body)).body
}

describe('an agent in the process', () => {
  test('answers as the service does', async () => {
    const tenant = await tenantWithDocuments(stand)
    const agent = await open(tenant)
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const { from, stale, ...answer } = await agent.search({ ...parking, mode })
      expect({ from, stale }).toEqual({ from: 'process', stale: false })
      const expected = await overHttp(tenant, { ...parking, mode })
      expect(answer.data.map(({ chunk_id }) => chunk_id)).toEqual(
        expected.data.map(({ chunk_id }: { chunk_id: string }) => chunk_id),
      )
      expect(answer.data[0]).toEqual({
        ...expected.data[0],
        score: expect.closeTo(expected.data[0].score, 3),
        scores: expect.anything(),
      })
      expect(answer.status).toBe(expected.status)
    }
  })

  test('follows a change, a removal and a rename', async () => {
    const tenant = await stand.tenant()
    const [id] = await storeKnown(stand, tenant)
    const agent = await open(tenant)
    const contents = async (query: string) =>
      (await agent.search({ query, mode: 'keyword' })).data.map(({ content }) => content)
    await serveTexts(stand, tenant, [{ content: 'The parrot is called Rosalinde.' }])
    await vi.waitFor(async () => expect(await contents('parrot')).toEqual(['The parrot is called Rosalinde.']), 3000)
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${id}`)
    await vi.waitFor(async () => expect(await contents('bakery sunday')).not.toContain(known.hours[1]), 3000)
    await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { name: 'Bakery', time_zone: 'Asia/Tokyo' })
    await vi.waitFor(async () => {
      const { dates } = await agent.search({ query: 'open today', mode: 'keyword', as_of: '2026-12-24T20:00:00Z' })
      expect(dates).toEqual([{ said: 'today', from: '2026-12-25', to: '2026-12-25' }])
    }, 3000)
  })
})
