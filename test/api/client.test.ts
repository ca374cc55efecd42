import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { generateClient } from '../../infra/openapi/redocly.ts'
import { axis } from '../support/axis.ts'
import { useStand } from '../support/stand.ts'
import type { Client, createClient as CreateClient, OPERATIONS as Operations, Ops } from './client.generated.ts'

const stand = useStand()
let gateway: Awaited<ReturnType<typeof startGateway>>
let client: (apiKey: string) => Client<Ops>

beforeAll(async () => {
  await generateClient()
  const generated: { createClient: typeof CreateClient; OPERATIONS: typeof Operations } = await import(
    './client.generated.ts'
  )
  gateway = await startGateway({ port: 0, routes: stand.functions.routes })
  client = (apiKey) =>
    generated.createClient<Ops>(generated.OPERATIONS, {
      serverUrl: gateway.origin,
      errorMode: 'result',
      argsStyle: 'grouped',
      auth: { apiKey: { ApiKey: apiKey } },
    })
})
afterAll(() => gateway?.close())

/** An error of the service, not of the gateway before it. */
function problemOf<E extends object>(error: E | undefined) {
  return error && 'code' in error ? (error as Extract<E, { code: string }>) : undefined
}

test('a generated client takes a document of its own from creation to the answer, over HTTP', async () => {
  const { agentId, apiKey } = await stand.tenant()
  const api = client(apiKey)

  const created = await api.createDocument({ path: { agentId }, body: { title: 'Opening hours' } })
  if (created.error) throw new Error(JSON.stringify(created.error))
  const path = { agentId, documentId: created.data.id }
  expect(created.data).toMatchObject({ status: 'pending', content: null })

  const passages = ['On Sunday we are closed.', 'On Monday we open at 9.']
  const chunks = passages.map((content, i) => ({ content, chunk_index: i, embedding: axis(i), metadata: { day: i } }))

  const uploaded = await api.createChunks({ path, body: { chunks } })
  if (uploaded.error) throw new Error(JSON.stringify(uploaded.error))
  expect(uploaded.data).toMatchObject({ chunk_count: 2, data: [{ token_count: 6, metadata: { day: 0 } }, {}] })

  const completed = await api.updateDocument({ path, body: { status: 'completed' } })
  if (completed.error) throw new Error(JSON.stringify(completed.error))
  expect(completed.data).toMatchObject({ status: 'completed', chunk_count: 2 })

  const found = await api.search({ path: { agentId }, body: { embedding: axis(1), limit: 1, metadata: { day: 1 } } })
  if (found.error) throw new Error(JSON.stringify(found.error))
  expect(found.data.data).toMatchObject([{ document_title: 'Opening hours', content: passages[1], score: 1 }])
})

test('a generated client tells errors by their code', async () => {
  const { agentId, apiKey, knowledgeBase } = await stand.tenant()
  const api = client(apiKey)
  const created = await api.createDocument({ path: { agentId }, body: { title: 'Empty' } })
  if (created.error) throw new Error(JSON.stringify(created.error))
  const path = { agentId, documentId: created.data.id }

  const refused = await api.updateDocument({ path, body: { status: 'completed' } })
  const conflict = problemOf(refused.error)
  expect(conflict?.code === 'no_chunks' && conflict.status).toBe(409)
  expect(conflict?.instance).toBe(`${knowledgeBase}/${path.documentId}`)

  const invalid = await api.createDocument({ path: { agentId }, body: { title: '' } })
  expect(problemOf(invalid.error)?.errors?.[0]).toEqual({
    pointer: '/title',
    code: 'too_short',
    detail: 'must not be empty',
  })

  const stranger = await client(`${apiKey}x`).listDocuments({ path: { agentId }, query: { limit: 1 } })
  expect(problemOf(stranger.error)?.code).toBe('invalid_api_key')
})

test('a generated client pages through a list', async () => {
  const { agentId, apiKey } = await stand.tenant()
  const api = client(apiKey)
  for (const title of ['a', 'b', 'c']) await api.createDocument({ path: { agentId }, body: { title } })
  const titles: string[] = []
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page = await api.listDocuments({ path: { agentId }, query: { limit: 2, ...(cursor && { cursor }) } })
    if (page.error) throw new Error(JSON.stringify(page.error))
    titles.push(...page.data.data.map((document) => document.title))
    cursor = page.data.next_cursor
  }
  expect(titles).toEqual(['c', 'b', 'a'])
})

test('a generated client reads and writes the organization’s settings', async () => {
  const { apiKey, organizationId } = await stand.tenant()
  const api = client(apiKey)
  const updated = await api.updateOrganization({ body: { auto_delete_done_calls: true } })
  expect(updated.data).toMatchObject({ id: organizationId, auto_delete_done_calls: true })
  expect((await api.getOrganization()).data).toEqual(updated.data)
})
