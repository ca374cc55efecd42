import { describe, expect, test } from 'vitest'
import { chunksApp } from '../../functions/chunks/app.ts'
import { searchApp } from '../../functions/search/app.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { exampleBody, fill, keyedRoutes, makeDocument } from '../support/operations.ts'
import { callerOf } from '../support/own-app.ts'
import { away, emptyDocument, failing, inTransaction } from '../support/provoking.ts'
import { useStand } from '../support/stand.ts'
import { databaseAs } from '../support/worker.ts'

const stand = useStand()
const isNative = process.env.DATABASE_URL !== undefined
const chunk = { content: 'c', chunk_index: 0 }

describe('while the first attempt under an Idempotency-Key is running', () => {
  test.skipIf(!isNative)(
    'another is 409 with Retry-After, and the wait for its document is not bounded (needs two sessions)',
    async () => {
      const tenant = await stand.tenant()
      const path = await emptyDocument(tenant)
      const call = callerOf(chunksApp({ db: databaseAs('cuecard_chunks'), repeatWaitSeconds: 0.05 }), tenant.apiKey)
      const upload = () => call('POST', `${path}/chunks`, { chunks: [chunk] }, { 'idempotency-key': 'k' })
      const first = await inTransaction(stand, async (client) => {
        await client.query('select from documents where id = $1 for update', [path.split('/').at(-1)])
        const waiting = upload()
        await expect
          .poll(async () => {
            const { rows } = await client.query(`select from pg_locks where not granted and pid in (
              select pid from pg_stat_activity where datname = current_database())`)
            return rows.length
          })
          .toBeGreaterThan(0)
        for (let i = 0; i < 2; i++) {
          const second = await upload()
          expect(second).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } })
          expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
        }
        return { waiting }
      })
      const answer = await first.waiting
      expect(answer.status).toBe(201)
      expect(await upload()).toMatchObject({
        status: 201,
        body: answer.body,
        headers: { 'idempotency-replayed': 'true' },
      })
    },
  )
})

describe('a 503 says what is known of the change', () => {
  const nothing = 'Nothing was changed. Try again in a moment.'
  const unknown = /^It is unknown whether/

  describe.each(keyedRoutes)('$name', (route) => {
    const { method, permission, path } = route
    const isChange = permission.endsWith(':write')
    const answerOf = async (answered: number, headers?: Record<string, string>) => {
      const tenant = await stand.tenant()
      const call = callerOf(allApps(failing(answered, away))[route.lambda]!, tenant.apiKey)
      const answer = await call(method, fill(path, await makeDocument(tenant)), exampleBody(route), headers)
      expect(answer).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
      return answer.body.detail
    }

    test('nothing was changed, when not even the key could be looked up', async () => {
      expect(await answerOf(0)).toBe(nothing)
    })

    // Vapi is told in a response that is 200: it ignores any other.
    if (!isChange && route.name !== 'answerVapi')
      test('nothing was changed, by a request that reads', async () => {
        expect(await answerOf(1)).toBe(nothing)
      })

    if (isChange && method === 'POST')
      test('it may have happened: retry with the same Idempotency-Key, or check first where there is none', async () => {
        expect(await answerOf(1)).toMatch(unknown)
        expect(await answerOf(1)).toContain('Check before you retry')
        expect(await answerOf(1, { 'idempotency-key': 'k' })).toMatch(unknown)
        expect(await answerOf(1, { 'idempotency-key': 'k' })).toContain('Retry it with the same Idempotency-Key')
      })

    if (isChange && method !== 'POST')
      test('it may have happened, and repeating it is safe', async () => {
        expect(await answerOf(1)).toMatch(unknown)
        expect(await answerOf(1)).toMatch(/Retrying the request is safe\.$/)
        if (route.operation.headers) expect(await answerOf(1, { 'if-match': '"1"' })).toContain('412')
      })
  })

  test('a search by meaning that hears nothing from the provider can do without it', async () => {
    const tenant = await stand.tenant()
    const embedder = { model: 'away', embed: () => Promise.reject(new EmbeddingError('unavailable', 'away')) }
    const call = callerOf(searchApp({ db: databaseAs('cuecard_search'), embedder }), tenant.apiKey)
    const answer = await call('POST', `${tenant.knowledgeBase}/search`, { query: 'Where?', mode: 'semantic' })
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('`mode: keyword` works without it') },
    })
  })
})
