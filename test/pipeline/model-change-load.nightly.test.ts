import { expect, test } from 'vitest'
import { questionsApp } from '../../functions/questions/app.ts'
import { changeModels } from '../../infra/embedding-models.ts'
import { workerWith } from '../support/provider/model-worker.ts'
import { twoModels } from '../support/provider/reversed-embedder.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { useStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()
const searchesPerSecond = 20

test('2,000 chunks change their model under 20 searches a second: none fails, none compares two models', async () => {
  const tenant = await stand.tenant()
  const { first, changing } = twoModels()
  const worker = workerWith(first)
  for (let i = 0; i < 20; i++) {
    const content = Array.from(
      { length: 100 },
      (_, k) => `Article ${i * 100 + k} costs ${k + 1} euros at the desk today.`,
    )
    const { body } = await tenant.call('POST', tenant.knowledgeBase, {
      title: `List ${i}`,
      content: content.join('\n\n'),
    })
    await worker.embed(tenant, body.id)
  }
  const app = questionsApp({ db: databaseAs('cuecard_questions'), embedder: first })
  const golden = {
    question: 'What does article 1234 cost?',
    expects: { words: 'Article 1234' },
    within: 3,
    on_failure: 'block',
  }
  await callerOf(app, tenant.apiKey)('POST', `/v1/agents/${tenant.agentId}/golden-questions`, golden)
  const { search } = newSearch({ baseUrl: 'http://127.0.0.1:1/v1' }, { embedder: changing })
  const embedding = async () => (await tenant.call('GET', `/v1/agents/${tenant.agentId}`)).body.embedding
  await changeModels(stand.db, 'second', 'first')
  const { total } = (await embedding()).next
  const started = performance.now()
  const progress: string[] = []
  let isChanging = true
  const changed = workerWith(changing)
    .change(tenant)
    .finally(() => {
      isChanging = false
    })
  const answers: Promise<{ status: number; milliseconds: number; isRight: boolean; isDegraded: boolean }>[] = []
  for (let i = 0, after = 0; isChanging || after < 40; i++, after += isChanging ? 0 : 1) {
    const article = (i * 37) % 2000
    const asked = performance.now()
    answers.push(
      search(tenant, { query: `Article ${article} costs`, deadline_ms: 10_000 }).then(({ status, body }) => ({
        ...{ status, milliseconds: performance.now() - asked, isDegraded: body.degraded !== null },
        // In either model a text and a question with a shared word are similar; across models they are not.
        isRight:
          body.data?.every(({ scores: { semantic } }: { scores: { semantic: number } }) => semantic > 0.2) ?? false,
      })),
    )
    if (i % 20 === 0) {
      const { model, next } = await embedding()
      progress.push(
        `${Math.round((performance.now() - started) / 1000)} s: ${model} ${next ? `${next.embedded}/${next.total}` : ''}`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 / searchesPerSecond))
  }
  await changed
  const all = await Promise.all(answers)
  const times = all.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  console.info(
    `${total} chunks, ${all.length} searches, p50 ${times[times.length >> 1]!.toFixed(0)} ms, p99 ${times[Math.floor(times.length * 0.99)]!.toFixed(0)} ms; ${progress.join('; ')}`,
  )
  expect(await embedding()).toEqual({ model: 'second', next: null })
  expect(all.filter(({ status }) => status !== 200)).toEqual([])
  expect(all.filter(({ isDegraded }) => isDegraded)).toEqual([])
  expect(all.filter(({ isRight }) => !isRight)).toEqual([])
})
