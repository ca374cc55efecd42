import { expect, onTestFinished, test } from 'vitest'
import { openAgent } from '../../infra/library/open-agent.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { roundsIn, textOf } from './ferries.ts'

const stand = useStand()
const gateway = useGateway(stand)

const rounds = 12
const documents = 6

test('while documents change and go, no answer mixes two revisions, and none has a document two seconds after it went', async () => {
  const tenant = await stand.tenant()
  const ids = await serveTexts(
    stand,
    tenant,
    Array.from({ length: documents }, (_, i) => ({ title: `Ferry ${i}`, content: textOf(i, 0) })),
  )
  const agent = await openAgent({ url: gateway.origin, key: tenant.apiKey, agentId: tenant.agentId })
  onTestFinished(() => agent.close())
  let isOver = false
  let asked = 0
  let deletedAt = Infinity
  const mixed: string[] = []
  const outdated: string[] = []

  async function ask() {
    while (!isOver) {
      const before = performance.now()
      const { data } = await agent.search({ query: 'When does the ferry leave?', mode: 'keyword', limit: 50 })
      const found = roundsIn(data.map(({ content }) => content))
      asked++
      for (const [document, rounds] of found) if (rounds.size > 1) mixed.push(`${document}: ${[...rounds]}`)
      if (before > deletedAt + 2000 && found.has(0)) outdated.push('0')
      await new Promise(setImmediate)
    }
  }

  async function change() {
    for (let round = 1; round <= rounds; round++) {
      for (const [i, id] of ids.entries())
        if (round < rounds / 2 || i > 0)
          await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: textOf(i, round) })
      await stand.deliver()
      if (round !== rounds / 2) continue
      await tenant.call('DELETE', `${tenant.knowledgeBase}/${ids[0]}`)
      deletedAt = performance.now()
    }
    await expect.poll(() => performance.now() - deletedAt, { timeout: 10_000 }).toBeGreaterThan(3000)
    isOver = true
  }

  await Promise.all([ask(), change()])
  expect({ mixed, outdated }).toEqual({ mixed: [], outdated: [] })
  expect(asked).toBeGreaterThan(100)
  await expect
    .poll(async () => {
      const { data } = await agent.search({ query: 'When does the ferry leave?', mode: 'keyword', limit: 50 })
      return Object.fromEntries(
        Array.from(roundsIn(data.map(({ content }) => content)), ([d, r]) => [d, [...r].join()]),
      )
    })
    .toEqual(Object.fromEntries(Array.from({ length: documents - 1 }, (_, i) => [`${i + 1}`, `${rounds}`])))
})
