import { expect, test } from 'vitest'
import { tryText } from '../../shared/checks/try-text.ts'
import type { DocumentScope } from '../../shared/database/scope.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { useStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()
const text = 'We are open Monday to Saturday.\n\nOn Sunday we are closed.'

test('trying a text names the golden questions that it would break, and stores nothing', async () => {
  const tenant = await stand.tenant()
  const { call, knowledgeBase, agentId } = tenant
  const { body: document } = await call('POST', knowledgeBase, { title: 'Hours', content: text })
  await stand.deliver()
  const scope = { ...tenant, documentId: document.id } as unknown as DocumentScope
  const db = databaseAs('cuecard_dashboard').forOrganization(scope.organizationId)
  const reserved: number[] = []
  const tried = (content: string, embedder: Embedder = lexicalEmbedder()) =>
    tryText(
      {
        db,
        embedder,
        chunkSize: { targetTokens: 400, overlapTokens: 60 },
        reserveTokens: async (tokens) => void reserved.push(tokens),
        releaseTokens: (tokens) => void reserved.push(-tokens),
      },
      scope,
      { title: 'Hours', content },
    )
  expect(await tried('Always open.')).toBeUndefined()
  const question = { question: 'Are you open on Sunday?', expects: { words: 'closed' } }
  await call('POST', `/v1/agents/${agentId}/golden-questions`, question)
  const before = await call('GET', `${knowledgeBase}/${document.id}`)
  expect(await tried(text)).toEqual({ broken: [] })
  expect(await tried(`${text}\n\nDogs are welcome.`)).toEqual({ broken: [] })
  expect(await tried('We are always open, on Sunday, too.')).toMatchObject({
    broken: [{ question: question.question, lost: 'On Sunday we are closed.' }],
  })
  expect(reserved.length).toBe(3)
  expect(reserved.at(-1)).toBeGreaterThan(0)
  const embed = () => Promise.reject(new EmbeddingError('unavailable', 'The provider is down'))
  await expect(tried('Never open.', { ...lexicalEmbedder(), embed })).rejects.toThrow('embedding_provider')
  expect(reserved.at(-1)).toBe(-reserved.at(-2)!)
  expect(await call('GET', `${knowledgeBase}/${document.id}`)).toMatchObject({ body: before.body })
  const { body: found } = await call('POST', `${knowledgeBase}/search`, { query: 'Sunday' })
  expect(found.data[0].content).toBe(text)
})
