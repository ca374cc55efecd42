import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchExample } from '../../functions/questions/schemas.ts'
import { setRetellSecret } from '../../infra/admin/agents.ts'
import { allApps } from '../../infra/openapi/apps.ts'
import { databaseUsers, queues } from '../../infra/wiring.ts'
import { Database } from '../../shared/database/database.ts'
import { openAiEmbedder } from '../../shared/embedding/openai-embedder.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import type { AgentId } from '../../shared/ids.ts'
import { newBrowser, signIn } from '../dashboard/support.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { createFile } from '../support/documents/files.ts'
import { exampleBody, fill, keyedRoutes, makeDocument } from '../support/http/operations.ts'
import { failing } from '../support/http/provoking.ts'
import { gathered } from '../support/logs/gathered-log.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker, workMessage } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

const providerKey = 'sk-secret-provider-4d1f'
const databasePassword = 'secret-database-77aa'
const signingSecret = 'secret-signing-9e8d'
/** The secret in documents, chunks and metadata. */
const text = 'secret-text-of-a-document-1b2c'
/** The secret in callers' questions. */
const question = 'secret-question-of-a-caller-5e6f'

const fixed = [providerKey, databasePassword, signingSecret, text, question]

beforeAll(async () => {
  for (const name of databaseUsers) {
    const login = sql.id(`cuecard_${name}_leaks`)
    await sql`create role ${login} login password ${sql.lit(databasePassword)} in role ${sql.id(`cuecard_${name}`)}`.execute(
      stand.db,
    )
  }
})
afterAll(async () => {
  for (const name of databaseUsers) await sql`drop role ${sql.id(`cuecard_${name}_leaks`)}`.execute(stand.db)
})

/** Secrets of these tenants that no log line and no answer may have. */
async function secretsOf(...tenants: Tenant[]): Promise<string[]> {
  const cursorKeys = tenants.map(async ({ organizationId }) => {
    const { rows } = await sql<{ key: Buffer }>`select cursor_key as key from organizations
      where id = ${organizationId}`.execute(stand.db)
    const { key } = rows[0]!
    return [key.toString('hex'), key.toString('base64'), key.toString('base64url'), key.toString('latin1')]
  })
  return [...fixed, ...tenants.map(({ apiKey }) => apiKey), ...(await Promise.all(cursorKeys)).flat()]
}

function expectNone(secrets: string[], all: string) {
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
}

/** Bodies with the secret texts, by operation; other operations use their examples. */
const bodies: Record<string, unknown> = {
  createDocument: { title: text, content: text },
  createDocuments: { documents: [{ title: text, content: text }] },
  updateDocument: { title: text, content: text },
  createChunks: { chunks: [{ content: text, chunk_index: 0, metadata: { [text]: text } }] },
  search: { query: question, metadata: { [text]: text } },
  prefetchSearch: { query: question },
  reportQuestions: { questions: [{ ...batchExample.questions[0], question }] },
  answerRetell: { name: 'search', args: { query: question } },
  answerMcp: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: question } },
  },
  answerVapi: { message: { type: 'knowledge-base-request', messages: [{ role: 'user', message: question }] } },
}

describe.each(keyedRoutes.map((route, nth) => ({ ...route, nth })))(
  'of $name no secret is in logs and errors',
  ({ nth, ...route }) => {
    const { method, path, lambda, name } = route
    /** Each takes its turn over all routes. */
    const turn = <T>(...cases: T[]) => cases[nth % cases.length]!
    const body = bodies[name] ?? exampleBody(route)

    test('where the database is away, refuses, or breaks off', async () => {
      const tenant = await stand.tenant()
      const secrets = await secretsOf(tenant)
      const url = path.includes('{') ? fill(path, await makeDocument(tenant)) : path
      const as = (role: string) => {
        const whole = new URL(process.env.DATABASE_URL!)
        return Object.assign(whole, { username: `${role}_leaks`, password: databasePassword }).href
      }
      const at = (database: string) => new Database({ url: () => database, timeoutSeconds: 2 })
      const all = await gathered(async (keep) => {
        const ask = async (db: Database) => {
          const answer = await callerOf(allApps(db)[lambda]!, tenant.apiKey)(method, url, body)
          // A request that succeeds may answer with its own tenant's data.
          if (answer.status >= 400) keep(answer)
        }
        connection.cut(turn('unopened', 'before', 'after', 'within'), /./)
        await ask(at(as(`cuecard_${lambda}`)))
        await ask(at(turn(`cuecard:${databasePassword}`, `postgres://cuecard:${databasePassword}@`)))
        // This key has no permission that an operation needs.
        await ask(at(as('cuecard_sweeper')))
        await ask(failing(1, new TypeError('unforeseen')))
      })
      expect(all).toContain('_unavailable')
      expect(all).toContain('unexpected_error')
      expectNone(secrets, all)
    })

    test('where the request is wrong', async () => {
      const tenant = await stand.tenant()
      const secrets = await secretsOf(tenant)
      const url = path.includes('{') ? fill(path, await makeDocument(tenant)) : path
      const stranger = newKey()
      const odd = path.replaceAll(/\{\w+\}/g, stranger)
      const json = JSON.stringify(body) ?? '{}'
      const all = await gathered(async (keep) => {
        const call = async (query: string, sent: unknown, headers: Record<string, string> = {}) =>
          keep(await tenant.call(method, `${url}${query}`, body === undefined ? undefined : sent, headers))
        await call('', json.replace('{', `{"${'x'.repeat(10)}":"${question}",`))
        await call('', JSON.stringify({ title: [text], query: [question], message: question, chunks: text }))
        if (nth % 2 === 0) await call('', json.slice(0, -1))
        else await call('', json, { 'content-type': 'text/plain' })
        await call(`?${turn('limit', 'cursor')}=${question}`, json)
        if (nth % 2 === 0) await call('', json, { authorization: `Bearer ${stranger}` })
        else keep(await stand.http(method, `${url}?api_key=${stranger}`, body))
        keep(await stand.http(method, url, body, { 'x-api-key': stranger }))
        // The answer repeats the path to its sender.
        if (odd !== path) await tenant.call(method, odd, body)
      })
      expect(all).toContain('invalid_api_key')
      // Retell's answer is text with the question's passages only.
      expectNone([...secrets, stranger], all)
    })
  },
)

test('no secret is in logs and errors where the provider repeats its key and the text', async () => {
  const tenant = await stand.tenant()
  const secrets = await secretsOf(tenant)
  const { baseUrl } = provider
  const embedder = openAiEmbedder({ baseUrl, model: 'm', apiKey: () => providerKey, timeoutSeconds: 5 })
  const worker = newWorker(stand, provider, { embedder, queue: keptQueue().queue })
  const { search } = newSearch(provider, { embedder })
  const all = await gathered(async (keep) => {
    for (const status of [307, 400, 401, 403, 429, 500]) {
      provider.script([], ({ texts, authorization }) => ({
        status,
        body: JSON.stringify({ error: { message: `${texts.join(' ')} ${authorization} is not for ${status}` } }),
      }))
      const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: `${text} ${status}.` })
      await worker([{ id: body.id, organizationId: tenant.organizationId }])
      const { waiting, status: state } = (await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body
      keep({ waiting, state })
      const answer = await search(tenant, { query: `${question} ${status}`, mode: 'semantic' })
      // The sender of a rejected text may read why.
      if (answer.status !== 422) keep(answer)
    }
  })
  expect(all).toContain('document_retry_scheduled')
  expectNone(secrets, all)
})

test('no secret is in logs and errors where a signature is wrong', async () => {
  const tenant = await stand.tenant()
  const secrets = await secretsOf(tenant)
  await setRetellSecret(stand.db, tenant.agentId as AgentId, signingSecret)
  const path = `${tenant.knowledgeBase}/retell`
  const all = await gathered(async (keep) => {
    for (const signature of ['', 'x', signingSecret, `v=${Date.now()},d=${'0'.repeat(64)}`])
      keep(await tenant.call('POST', path, { query: question }, { 'x-retell-signature': signature }))
  })
  expect(all).toContain('invalid_signature')
  expectNone(secrets, all)
})

test('no key and no session is in logs and pages where people fail to sign in', async () => {
  const tenant = await stand.tenant()
  const browser = newBrowser(stand, '198.51.100.7')
  const stranger = newKey()
  const tokens: string[] = []
  const all = await gathered(async (keep) => {
    for (const key of [stranger, `${stranger}x`, 'secret', '', stranger.slice(0, -1)])
      keep((await browser.post('/dashboard/sign-in', { key, to: '/dashboard' })).html)
    await signIn(browser, tenant.apiKey)
    tokens.push(...browser.jar.values())
    for (const path of ['/dashboard', '/dashboard/settings', '/dashboard/nowhere']) keep((await browser.get(path)).html)
    connection.cut('before', /find_signed_in/)
    keep((await browser.get('/dashboard')).html)
    keep((await browser.post('/dashboard/settings/auto-delete', { on: question })).html)
    keep((await browser.post('/dashboard/sign-out')).html)
  })
  expect(connection.unmet).toBe(0)
  expect(tokens).not.toEqual([])
  expect(all).toContain('database_unavailable')
  expectNone([...(await secretsOf(tenant)), stranger, ...tokens], all)
})

test('no text is in logs where messages are not ours, or the worker fails', async () => {
  const tenant = await stand.tenant()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: text, content: text })
  const ours = workMessage({ organizationId: tenant.organizationId, id: body.id })
  const odd = ours.replace('}', `,"request_id":["${text}"]}`)
  const ofNobody = ours.replace('document', 'passage')
  const messages = [text, JSON.stringify({ v: 2, text }), odd, ofNobody, `${text}${ours}`]
  const file = await createFile(stand, tenant, { title: text })
  const key = `${file.organizationId}/${file.id}/${text}.txt/more`
  const upload = JSON.stringify({ Records: [{ s3: { object: { key } } }] })
  const all = await gathered(async () => {
    await stand.embedding(...messages)
    await stand.extraction(...messages, upload)
    connection.lose('before', statements.claim)
    await stand.embedding(ours)
    await stand.sweep()
  })
  expect(all).toContain('message_unreadable')
  expect(all).toContain('delivery_failed')
  expectNone(await secretsOf(tenant), all)
})

test('a dead letter holds only ids', async () => {
  const tenant = await stand.tenant()
  await tenant.call('POST', tenant.knowledgeBase, { title: text, content: text })
  const receive = async (QueueUrl: string) =>
    (await stand.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 })))
      .Messages ?? []
  const isOurs = ({ Body }: { Body?: string }) => Body!.includes(tenant.organizationId)
  const letters = await (async () => {
    for (let i = 0; i < 50 * queues.embedding.maxReceiveCount; i++) {
      const dead = (await receive(stand.queue.deadLetterUrl)).filter(isOurs)
      if (dead.length > 0) return dead
      await receive(stand.queue.queueUrl)
    }
    return []
  })()
  expect(letters.map(({ Body }) => Object.keys(JSON.parse(Body!)).toSorted())).toEqual([
    ['api_key_id', 'id', 'kind', 'organization_id', 'request_id', 'v'],
  ])
  expectNone(await secretsOf(tenant), JSON.stringify(letters))
})
