import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { websiteExample } from '../../functions/agents/website-schemas.ts'
import { deliveryExample, webhookExample } from '../../functions/organization/webhook-schemas.ts'
import { checkExample } from '../../functions/questions/checks/schemas.ts'
import { documentExample } from '../../shared/documents/contract/document.ts'
import { type ErrorCode, problems } from '../../shared/http/errors.ts'
import { exampleBody, fill, type Ids, keyedRoutes } from '../support/http/operations.ts'
import { needsTwoSessions, type Provoke, provoking } from '../support/http/provoking.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const file = new URL('../../infra/openapi/examples.json', import.meta.url)
const isNative = process.env.DATABASE_URL !== undefined

type Example = Record<string, unknown>

test('every documented error code can happen, and its example is what the API answers (else: npm test -- api/examples -u, then npm run openapi)', async () => {
  const committed: Record<string, Example> = JSON.parse(readFileSync(file, 'utf8'))
  const examples: typeof committed = {}
  for (const [code, provoke] of Object.entries(provoking(stand)) as [ErrorCode, Provoke][]) {
    const isProvoked = isNative || !needsTwoSessions.has(code)
    examples[code] = isProvoked ? exampleOf(await provoke(await stand.tenant())) : committed[code]!
    expect(examples[code]).toMatchObject({ code, status: problems[code].status })
  }
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(file.pathname)
})

describe('the example of a response is the answer to the example of its request', () => {
  const operations = Object.fromEntries(keyedRoutes.map((route) => [route.name, route]))
  const request = (name: string, tenant: Tenant, ids: Ids) =>
    tenant.call(operations[name]!.method, fill(operations[name]!.path, ids), exampleBody(operations[name]!))

  async function created(tenant: Tenant, body = exampleBody(operations.createDocument!)): Promise<Ids> {
    const { body: document } = await tenant.call('POST', tenant.knowledgeBase, body)
    await stand.deliver()
    return { agentId: tenant.agentId, documentId: document.id }
  }
  const processed = (tenant: Tenant) => created(tenant)
  const empty = (tenant: Tenant) => created(tenant, { title: 'Opening hours' })
  const after = (name: string, arrange: (tenant: Tenant) => Promise<Ids>) => async (tenant: Tenant) => {
    const ids = await arrange(tenant)
    await request(name, tenant, ids)
    return ids
  }

  test.each<[string, (tenant: Tenant) => Promise<Ids>]>([
    ['createDocument', empty],
    ['createDocuments', empty],
    ['getDocument', processed],
    ['listDocuments', processed],
    ['updateDocument', processed],
    ['listRevisions', processed],
    ['getRevision', processed],
    ['createChunks', empty],
    ['listChunks', after('createChunks', empty)],
    ['search', processed],
    ['getOrganization', after('updateOrganization', empty)],
    ['updateOrganization', empty],
  ])('%s', async (name, arrange) => {
    const tenant = await stand.tenant()
    const answer = await request(name, tenant, await arrange(tenant))
    const { example } = operations[name]!.operation.responses[answer.status]!
    expect(withoutOwn(answer.body)).toEqual(withoutOwn(example))
  })
})

/** Replaces values that depend on the database or the embedder with their type. */
function withoutOwn(body: unknown): unknown {
  const own = /^(id|(agent|document|chunk)_id|name|(cre|upd)ated_at|created_by|score|semantic|keyword)$/
  return JSON.parse(JSON.stringify(body), (key, value) => (own.test(key) ? typeof value : value))
}

/** Replaces values that differ between requests with those of the other examples. */
function exampleOf({ body }: Answer): Example {
  const instance = body.instance
    .replace(/(?<=agents\/)[0-9a-f-]{36}/, documentExample.agent_id)
    .replace(/(?<=knowledge-base\/)[0-9a-f-]{36}/, documentExample.id)
    .replace(/(?<=golden-questions\/)[0-9a-f-]{36}/, checkExample.id)
    .replace(/(?<=webhooks\/)[0-9a-f-]{36}/, webhookExample.id)
    .replace(/(?<=deliveries\/)[0-9a-f-]{36}/, deliveryExample.id)
    .replace(/(?<=sources\/)[0-9a-f-]{36}/, websiteExample.id)
  const golden = body.golden_questions?.map((each: object) => ({ ...each, golden_question_id: checkExample.id }))
  return { ...body, ...(golden && { golden_questions: golden }), instance, request_id: 'JKJaXmPLvHcESHA=' }
}
