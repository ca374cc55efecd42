import { expect, test } from 'vitest'
import { chunksApp } from '../../functions/chunks/app.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { exampleBody, fill, keyedRoutes, makeDocument } from '../support/http/operations.ts'
import { away, emptyDocument, failing, inTransaction } from '../support/http/provoking.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { useStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()
const isNative = process.env.DATABASE_URL !== undefined
const chunk = { content: 'c', chunk_index: 0 }

test.skipIf(!isNative)(
  'a second attempt under a running Idempotency-Key is 409, and the first waits for its document without limit (needs two sessions)',
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

const documents = keyedRoutes.filter(({ name }) =>
  ['createDocument', 'updateDocument', 'deleteDocument'].includes(name),
)

test.each(documents)('a 503 of $name says that its effect is unknown, and which header helps', async (route) => {
  const isPost = route.method === 'POST'
  const tenant = await stand.tenant()
  const call = callerOf(allApps(failing(1, away))[route.lambda]!, tenant.apiKey)
  const headers: Record<string, string> = isPost ? { 'idempotency-key': 'k' } : { 'if-match': '"1"' }
  const url = fill(route.path, await makeDocument(tenant))
  const { status, body } = await call(route.method, url, exampleBody(route), headers)
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'temporarily_unavailable' })
  expect(body.detail).toMatch(/^It is unknown whether/)
  expect(body.detail).toContain(isPost ? 'Retry it with the same Idempotency-Key' : '412')
})
