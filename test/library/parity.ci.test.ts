import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAgent, type SearchAnswer, type SearchBody } from '../../infra/library/open-agent.ts'
import type { Business } from '../evaluation/labelled-set.ts'
import { readSet } from '../evaluation/labelled-set.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)

const set = readSet(join(import.meta.dirname, '../evaluation/set'))
const moment = '2026-06-12T16:30:00Z'
/** Scores of the service are of 16-bit vectors of the question, too. */
const tolerance = 1e-3

/** Both answers to each question, in the process and over HTTP. */
async function askBoth({ documents, questions }: Business) {
  const tenant = await stand.tenant()
  await serveTexts(stand, tenant, documents)
  const agent = await openAgent({ url: gateway.origin, key: tenant.apiKey, agentId: tenant.agentId })
  onTestFinished(() => agent.close())
  const pairs: { body: SearchBody; own: SearchAnswer; theirs: SearchAnswer }[] = []
  for (const { question: query, history } of questions)
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const body = { query, mode, limit: 10, as_of: moment, ...(history.length > 0 && { history: history.slice(-10) }) }
      const own = await agent.search(body)
      const { body: theirs } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, body)
      pairs.push({ body, own, theirs })
    }
  return pairs
}

/** The hits in their order; those whose scores tie in either answer may come in any. */
function requireSameOrder(own: SearchAnswer['data'], theirs: SearchAnswer['data']): void {
  const scoreOf = new Map(theirs.map(({ chunk_id, score }) => [chunk_id, score]))
  for (const [i, { chunk_id, score }] of own.entries()) {
    const expected = theirs[i]!
    expect(Math.abs(score - expected.score)).toBeLessThan(tolerance)
    if (chunk_id !== expected.chunk_id)
      expect(Math.abs((scoreOf.get(chunk_id) ?? 0) - expected.score)).toBeLessThan(tolerance)
  }
}

test.each(set)('$name: the process finds what the service finds, for every question', async (business) => {
  const pairs = await askBoth(business)
  for (const { body, own, theirs } of pairs) {
    expect(own.from).toBe('process')
    expect(own.data.length, body.query).toBe(theirs.data.length)
    requireSameOrder(own.data, theirs.data)
    const { status, value, dates, degraded } = theirs
    expect(own, body.query).toMatchObject({ status, value, dates, degraded })
    expect(own.answerable, body.query).toBeCloseTo(theirs.answerable!, 2)
  }
  const same = pairs.filter(({ own, theirs }) => own.data[0]?.chunk_id === theirs.data[0]?.chunk_id)
  expect(same.length).toBe(pairs.length)
})
