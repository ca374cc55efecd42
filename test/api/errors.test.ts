import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { chunksApp } from '../../functions/chunks/app.ts'
import { documentsApp } from '../../functions/documents/app.ts'
import { searchApp } from '../../functions/search/app.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { Database } from '../../shared/database/database.ts'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { type ErrorCode, problems, Unavailable } from '../../shared/http/errors.ts'
import { bodyLimit } from '../../shared/http/input/json-body.ts'
import { newId } from '../../shared/ids.ts'
import { exampleBody, fill, keyedRoutes, makeDocument } from '../support/operations.ts'
import { callerOf } from '../support/own-app.ts'
import { type Answer, type Tenant, useStand } from '../support/stand.ts'
import { databaseAs, keptQueue } from '../support/worker.ts'

const stand = useStand()
const isNative = process.env.DATABASE_URL !== undefined

/** A session of its own, in a transaction that `act` begins and whose locks are held until it ends. */
async function inTransaction<T>(act: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await stand.pool.connect()
  try {
    await client.query('begin')
    return await act(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A database that gives way once it has answered so many requests of an app. */
function failing(after: number, error: Error): Database {
  let answered = 0
  const url = () => (answered++ < after ? process.env.DATABASE_URL! : Promise.reject(error))
  return new Database({ url, timeoutSeconds: 5 })
}
const away = new Unavailable('database', new Error('away'))

const chunk = { content: 'c', chunk_index: 0 }
async function emptyDocument(tenant: Tenant): Promise<string> {
  return (await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })).headers.location!
}
async function documentPath(tenant: Tenant): Promise<string> {
  return fill('/v1/agents/{agentId}/knowledge-base/{documentId}', await makeDocument(tenant))
}

/** For each code a request that is answered with it. */
const provoking: Record<ErrorCode, (tenant: Tenant) => Promise<Answer>> = {
  invalid_json: ({ call, knowledgeBase }) => call('POST', knowledgeBase, '{'),
  invalid_parameter: ({ call, knowledgeBase }) => call('GET', `${knowledgeBase}?limit=0`),
  invalid_cursor: ({ call, knowledgeBase }) => call('GET', `${knowledgeBase}?cursor=x`),
  missing_api_key: ({ knowledgeBase }) => stand.http('GET', knowledgeBase),
  invalid_api_key: ({ knowledgeBase }) => stand.http('GET', knowledgeBase, undefined, { 'x-api-key': 'cue_no' }),
  missing_permission: async () => (await stand.tenant(['kb:read'])).call('GET', '/v1/organization'),
  agent_not_found: ({ call }) => call('GET', `/v1/agents/${newId()}/knowledge-base`),
  document_not_found: ({ call, knowledgeBase }) => call('GET', `${knowledgeBase}/${newId()}`),
  route_not_found: ({ call }) => call('GET', '/v1/nowhere'),
  method_not_allowed: ({ call, knowledgeBase }) => call('PUT', knowledgeBase, {}),
  chunk_index_conflict: async (tenant) => {
    const path = await emptyDocument(tenant)
    await tenant.call('POST', `${path}/chunks`, { chunks: [chunk] })
    return await tenant.call('POST', `${path}/chunks`, { chunks: [chunk] })
  },
  no_chunks: async (tenant) => tenant.call('PATCH', await emptyDocument(tenant), { status: 'completed' }),
  chunks_missing_embeddings: async (tenant) => {
    const path = await emptyDocument(tenant)
    await tenant.call('POST', `${path}/chunks`, { chunks: [chunk] })
    return await tenant.call('PATCH', path, { status: 'completed' })
  },
  processing_in_progress: async (tenant) => tenant.call('PATCH', await documentPath(tenant), { status: 'completed' }),
  idempotency_in_progress: (tenant) =>
    inTransaction(async (client) => {
      await client.query(
        `insert into idempotency_keys (organization_id, api_key_id, key, request_hash, owner)
         select organization_id, id, 'k', '', id from api_keys where organization_id = $1`,
        [tenant.organizationId],
      )
      const call = callerOf(
        documentsApp({ db: databaseAs('cuecard_documents'), queue: keptQueue().queue, repeatWaitSeconds: 0.05 }),
        tenant.apiKey,
      )
      return await call('POST', tenant.knowledgeBase, { title: 'T' }, { 'idempotency-key': 'k' })
    }),
  invalid_transition: async (tenant) => tenant.call('PATCH', await emptyDocument(tenant), { status: 'pending' }),
  precondition_failed: async (tenant) =>
    tenant.call('DELETE', await emptyDocument(tenant), undefined, { 'if-match': '"0"' }),
  payload_too_large: ({ call, knowledgeBase }) => call('POST', knowledgeBase, '{}'.padEnd(bodyLimit + 1)),
  unsupported_media_type: ({ call, knowledgeBase }) =>
    call('POST', knowledgeBase, '{}', { 'content-type': 'text/plain' }),
  validation_failed: ({ call, knowledgeBase }) => call('POST', knowledgeBase, {}),
  idempotency_key_reused: async ({ call, knowledgeBase }) => {
    await call('POST', knowledgeBase, { title: 'T' }, { 'idempotency-key': 'k' })
    return await call('POST', knowledgeBase, { title: 'U' }, { 'idempotency-key': 'k' })
  },
  internal_error: ({ apiKey, knowledgeBase }) =>
    callerOf(allApps(failing(0, new TypeError('unforeseen'))).documents!, apiKey)('GET', knowledgeBase),
  temporarily_unavailable: ({ apiKey, knowledgeBase }) =>
    callerOf(allApps(failing(0, away)).documents!, apiKey)('GET', knowledgeBase),
}

describe('every error code that is documented can happen', () => {
  const needsTwoSessions = new Set<ErrorCode>(['idempotency_in_progress'])

  for (const code of Object.keys(problems) as ErrorCode[]) {
    const isSkipped = !isNative && needsTwoSessions.has(code)
    test.skipIf(isSkipped)(
      isSkipped ? `${code} (needs two sessions, and the embedded database has one)` : code,
      async () => {
        const answer = await provoking[code](await stand.tenant())
        expect(answer).toMatchObject({ status: problems[code].status, body: { code } })
      },
    )
  }
})

describe('while the first attempt under an Idempotency-Key is running', () => {
  test.skipIf(!isNative)(
    'another is 409 with Retry-After, and the wait for its document is not bounded (needs two sessions)',
    async () => {
      const tenant = await stand.tenant()
      const path = await emptyDocument(tenant)
      const call = callerOf(chunksApp({ db: databaseAs('cuecard_chunks'), repeatWaitSeconds: 0.05 }), tenant.apiKey)
      const upload = () => call('POST', `${path}/chunks`, { chunks: [chunk] }, { 'idempotency-key': 'k' })
      const first = await inTransaction(async (client) => {
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

    if (!isChange)
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

  test('nothing was changed, when a search hears nothing from the provider', async () => {
    const tenant = await stand.tenant()
    const embedder = { model: 'away', embed: () => Promise.reject(new EmbeddingError('unavailable', 'away')) }
    const call = callerOf(searchApp({ db: databaseAs('cuecard_search'), embedder }), tenant.apiKey)
    const answer = await call('POST', `${tenant.knowledgeBase}/search`, { query: 'Where?', mode: 'semantic' })
    expect(answer).toMatchObject({ status: 503, body: { detail: nothing } })
  })
})
