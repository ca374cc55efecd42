import { expect, onTestFinished, test, vi } from 'vitest'
import { changeModels } from '../../infra/embedding-models.ts'
import { openAgent } from '../../infra/library/open-agent.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { workerWith } from '../support/provider/model-worker.ts'
import { twoModels } from '../support/provider/reversed-embedder.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)

const question = { query: 'Where do guests park?', mode: 'semantic', limit: 1 } as const

test('while the agent changes its model, vectors of two models are never compared', async () => {
  const { first, second, changing } = twoModels()
  const tenant = await stand.tenant()
  for (const content of ['We open at nine.', 'Guests park behind the house.', 'Dogs stay outside.']) {
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
    await workerWith(first).embed(tenant, body.id)
  }
  const open = async ({ model, embed }: Embedder) => {
    const vectors = { model, embed: (texts: string[]) => embed(texts) }
    const agent = await openAgent({ url: gateway.origin, key: tenant.apiKey, agentId: tenant.agentId, vectors })
    onTestFinished(() => agent.close())
    return agent
  }
  const [before, after] = [await open(first), await open(second)]
  /** The best passage and its cosine; the error's code where the agent has another model. */
  const found = async (agent: typeof before) =>
    await agent.search(question).then(
      ({ data }) => `${data[0]!.content} ${data[0]!.scores.semantic!.toFixed(2)}`,
      ({ code }) => code,
    )
  const right = await found(before)
  expect(right).toContain('Guests park')
  expect(await found(after)).toBe('temporarily_unavailable')

  await changeModels(stand.db, 'second', 'first')
  await workerWith(changing).change(tenant)
  const seen = new Set<string>()
  await vi.waitFor(async () => {
    for (const agent of [before, after]) seen.add(await found(agent))
    expect([await found(before), await found(after)]).toEqual(['temporarily_unavailable', right])
  }, 5000)
  expect([...seen].sort()).toEqual([right, 'temporarily_unavailable'].sort())
})
