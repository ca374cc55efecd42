import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAgent, type SearchAnswer, type SearchBody } from '../../infra/library/open-agent.ts'
import { readDocuments, readSet } from '../evaluation/labelled-set.ts'
import { tableQuestions } from '../evaluation/value/sets.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { requireSameAnswer } from './same-answer.ts'

const stand = useStand()
const gateway = useGateway(stand)

const evaluation = join(import.meta.dirname, '../evaluation')
const moment = '2026-06-12T16:30:00Z'

type Asked = Pick<SearchBody, 'query' | 'history' | 'as_of'>

interface Case {
  name: string
  documents: { title: string; content: string }[]
  questions: Asked[]
  /** The time zone and holidays of its callers. */
  place?: object
}

/** Businesses with their callers' questions. */
const alone = readSet(join(evaluation, 'set')).map(
  ({ name, documents, questions }): Case => ({
    name,
    documents,
    questions: questions.map(({ question: query }) => ({ query, as_of: moment })),
  }),
)
const tables: Case = {
  name: 'tables',
  documents: readDocuments(join(evaluation, 'tables/documents')),
  questions: tableQuestions(join(evaluation, 'tables')).map(({ question: query }) => ({ query, as_of: moment })),
}
/** Calls with earlier turns, on days that the questions name. */
const shops = join(evaluation, 'moments/tune')
const calls = ['bistro', 'garden-centre', 'pizzeria', 'yogastudio'].map((name): Case => {
  const read = (file: string) => JSON.parse(readFileSync(join(shops, name, file), 'utf8'))
  const questions: { question: string; history?: string[]; as_of: string }[] = read('questions.json')
  return {
    name: `calls of ${name}`,
    documents: readDocuments(join(shops, name)),
    place: read('place.json'),
    questions: questions.map(({ question: query, history, as_of }) => ({ query, as_of, ...(history && { history }) })),
  }
})

/** Both answers to each question, in the process and over HTTP. */
async function askBoth({ documents, questions, place }: Case) {
  const tenant = await stand.tenant()
  if (place) await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, place)
  await serveTexts(stand, tenant, documents)
  const agent = await openAgent({ url: gateway.origin, key: tenant.apiKey, agentId: tenant.agentId })
  onTestFinished(() => agent.close())
  const pairs: { body: SearchBody; own: SearchAnswer; theirs: SearchAnswer }[] = []
  for (const asked of questions)
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const body = { ...asked, mode, limit: 10 }
      const own = await agent.search(body)
      const { body: theirs } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, body)
      pairs.push({ body, own, theirs })
    }
  return pairs
}

test.each([...alone, tables, ...calls])(
  '$name: the process finds what the service finds, for every question',
  async (business) => {
    const pairs = await askBoth(business)
    for (const { body, own, theirs } of pairs) requireSameAnswer(own, theirs, body.query)
    expect(pairs.some(({ theirs }) => theirs.status === 'found')).toBe(true)
  },
)
