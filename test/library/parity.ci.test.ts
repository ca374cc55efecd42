import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAgent, type SearchAnswer, type SearchBody } from '../../infra/library/open-agent.ts'
import type { Business } from '../evaluation/labelled-set.ts'
import { readSet } from '../evaluation/labelled-set.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { requireSameAnswer } from './same-answer.ts'

const stand = useStand()
const gateway = useGateway(stand)

const set = readSet(join(import.meta.dirname, '../evaluation/set'))
const moment = '2026-06-12T16:30:00Z'

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

test.each(set)('$name: the process finds what the service finds, for every question', async (business) => {
  const pairs = await askBoth(business)
  for (const { body, own, theirs } of pairs) requireSameAnswer(own, theirs, body.query)
  const same = pairs.filter(({ own, theirs }) => own.data[0]?.chunk_id === theirs.data[0]?.chunk_id)
  expect(same.length).toBe(pairs.length)
})
