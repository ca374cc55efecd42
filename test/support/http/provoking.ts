import { sql } from 'kysely'
import type { PoolClient } from 'pg'
import { documentsApp } from '../../../functions/documents/app.ts'
import { setRetellSecret } from '../../../infra/admin/agents.ts'
import { allApps } from '../../../infra/openapi/apps.ts'
import { Database } from '../../../shared/database/database.ts'
import type { ErrorCode } from '../../../shared/http/errors.ts'
import { bodyLimit } from '../../../shared/http/input/json-body.ts'
import { type AgentId, newId } from '../../../shared/ids.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { connected } from '../../connect/connected.ts'
import { callerOf } from '../stand/app-caller.ts'
import type { Answer, Tenant, TestStand } from '../stand/stand.ts'
import { limit } from '../stand/tenant.ts'
import { unusedPresigner } from '../stand/unused-presigner.ts'
import { databaseAs, keptQueue } from '../stand/worker.ts'
import { fill, makeDocument } from './operations.ts'

/** A session of its own, in a transaction that `act` begins and whose locks are held until it ends. */
export async function inTransaction<T>(stand: TestStand, act: (client: PoolClient) => Promise<T>): Promise<T> {
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
export function failing(after: number, error: Error): Database {
  let answered = 0
  const url = () => (answered++ < after ? process.env.DATABASE_URL! : Promise.reject(error))
  return new Database({ url, timeoutSeconds: 5 })
}
export const away = new Unavailable('database', new Error('away'))

const chunk = { content: 'c', chunk_index: 0 }
export async function emptyDocument(tenant: Tenant): Promise<string> {
  return (await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })).headers.location!
}
async function documentPath(tenant: Tenant): Promise<string> {
  return fill('/v1/agents/{agentId}/knowledge-base/{documentId}', await makeDocument(tenant))
}

/** The path of a document with a file's text whose quotes take four bytes each in a response of Lambda: more than it carries. */
export async function fileOfQuotes(stand: TestStand, tenant: Tenant): Promise<string> {
  const ids = await makeDocument(tenant)
  await stand.deliver()
  await sql`update documents set content = null, extracted_text = repeat('"', 1600000), source_url = 'files/1/text.txt',
    source_type = 'txt' where id = ${ids.documentId}`.execute(stand.db)
  return fill('/v1/agents/{agentId}/knowledge-base/{documentId}', ids)
}

async function webhookPath({ call }: Tenant): Promise<string> {
  const body = { url: 'https://shop.example/', events: ['document.failed'] }
  return (await call('POST', '/v1/webhooks', body)).headers.location!
}

export const needsTwoSessions = new Set<ErrorCode>(['idempotency_in_progress'])

export type Provoke = (tenant: Tenant) => Promise<Answer>

/** A request for each code that gets this code. */
export function provoking(stand: TestStand): Record<ErrorCode, Provoke> {
  return {
    invalid_json: ({ call, knowledgeBase }) => call('POST', knowledgeBase, '{'),
    invalid_parameter: ({ call }) => call('GET', '/v1/agents/front-desk/knowledge-base'),
    invalid_cursor: ({ call, knowledgeBase }) => call('GET', `${knowledgeBase}?cursor=x`),
    snapshot_expired: ({ call, knowledgeBase }) => call('GET', `${knowledgeBase}/snapshot?since=9`),
    missing_api_key: ({ knowledgeBase }) => stand.http('GET', knowledgeBase),
    invalid_api_key: ({ knowledgeBase }) => stand.http('GET', knowledgeBase, undefined, { 'x-api-key': 'cue_no' }),
    missing_access_token: ({ agentId }) => stand.http('POST', `/v1/agents/${agentId}/connect/mcp`, {}),
    invalid_access_token: ({ agentId }) =>
      stand.http('POST', `/v1/agents/${agentId}/connect/mcp`, {}, { authorization: 'Bearer made-up' }),
    insufficient_scope: async (tenant) => {
      const { path, headers } = await connected(stand.db, tenant, { scope: 'offline_access' })
      return await stand.http('POST', path, {}, headers)
    },
    invalid_signature: async ({ call, knowledgeBase, agentId }) => {
      await setRetellSecret(stand.db, agentId as AgentId, 'key_0123456789abcdef')
      return await call('POST', `${knowledgeBase}/retell`, { query: 'Where?' })
    },
    missing_permission: async () => {
      const { call, knowledgeBase } = await stand.tenant(['kb:write'])
      return await call('GET', knowledgeBase)
    },
    agent_not_found: ({ call }) => call('GET', `/v1/agents/${newId()}/knowledge-base`),
    document_not_found: ({ call, knowledgeBase }) => call('GET', `${knowledgeBase}/${newId()}`),
    revision_not_found: async (tenant) => tenant.call('GET', `${await emptyDocument(tenant)}/revisions/1`),
    route_not_found: ({ call }) => call('GET', '/v1/nowhere'),
    method_not_allowed: ({ call, knowledgeBase }) => call('PUT', knowledgeBase, {}),
    external_id_conflict: async ({ call, knowledgeBase }) => {
      await call('POST', knowledgeBase, { title: 'Menu', external_id: 'menu' })
      return await call('POST', knowledgeBase, { title: 'Menu', external_id: 'menu' })
    },
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
      inTransaction(stand, async (client) => {
        await client.query(
          `insert into idempotency_keys (organization_id, api_key_id, key, request_hash, owner)
           select organization_id, id, 'k', '', id from api_keys where organization_id = $1`,
          [tenant.organizationId],
        )
        const { queue } = keptQueue()
        const app = documentsApp({
          presigner: unusedPresigner,
          db: databaseAs('cuecard_documents'),
          queue,
          repeatWaitSeconds: 0.05,
        })
        const call = callerOf(app, tenant.apiKey)
        return await call('POST', tenant.knowledgeBase, { title: 'T' }, { 'idempotency-key': 'k' })
      }),
    golden_questions_fail: async ({ call, knowledgeBase, agentId }) => {
      const made = await call('POST', knowledgeBase, { title: 'Hours', content: 'On Sunday we are closed.' })
      const { id } = made.body
      await stand.deliver()
      const question = { question: 'Sunday', expects: { document_id: id }, on_failure: 'block' }
      await call('POST', `/v1/agents/${agentId}/golden-questions`, question)
      return await call('DELETE', `${knowledgeBase}/${id}`)
    },
    source_exists: async ({ call, agentId }) => {
      const url = 'https://paws-inn.example/'
      await call('POST', `/v1/agents/${agentId}/sources`, { url })
      return await call('POST', `/v1/agents/${agentId}/sources`, { url })
    },
    source_not_found: ({ call, agentId }) => call('GET', `/v1/agents/${agentId}/sources/${newId()}`),
    golden_question_not_found: ({ call, agentId }) => call('GET', `/v1/agents/${agentId}/golden-questions/${newId()}`),
    webhook_not_found: ({ call }) => call('GET', `/v1/webhooks/${newId()}`),
    delivery_not_found: async (tenant) =>
      tenant.call('POST', `${await webhookPath(tenant)}/deliveries/${newId()}/replay`),
    confirmation_mismatch: ({ call, agentId }) => call('DELETE', `/v1/agents/${agentId}?confirm=Front+desk`),
    webhook_disabled: async (tenant) => {
      const path = await webhookPath(tenant)
      await tenant.call('PATCH', path, { status: 'disabled' })
      return await tenant.call('POST', `${path}/test`)
    },
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
    rate_limited: async ({ call, knowledgeBase, organizationId }) => {
      await limit(stand.db, organizationId, { requests_per_second: 1, request_burst: 1 })
      let answer = await call('GET', knowledgeBase)
      while (answer.status !== 429) answer = await call('GET', knowledgeBase)
      return answer
    },
    internal_error: ({ apiKey, knowledgeBase }) =>
      callerOf(allApps(failing(0, new TypeError('unforeseen'))).documents!, apiKey)('GET', knowledgeBase),
    temporarily_unavailable: ({ apiKey, knowledgeBase }) =>
      callerOf(allApps(failing(0, away)).documents!, apiKey)('GET', knowledgeBase),
  }
}
