import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { invoke } from '../../infra/local/lambda.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { dumpOf } from '../support/database/dump.ts'
import { exampleBody, fill, type Ids, keyedRoutes, makeDocument } from '../support/http/operations.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** The Lambda's response byte by byte, except for the ids in its path, the request's id and times. */
async function bytesOf(tenant: Tenant, method: string, url: string, body: unknown, headers: object = {}) {
  const event = toEvent(
    {
      method,
      url,
      headers: {
        'x-api-key': tenant.apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    stand.functions.routes.map(({ route }) => route),
  )!
  const { handler, functionName = '' } = stand.functions.routes.find(({ route }) =>
    [route, `ANY ${route}`].includes(event.routeKey),
  )!
  const result = await invoke(handler, event, { functionName, timeoutSeconds: 29 })
  const { 'server-timing': _, ...rest } = (result as APIGatewayProxyStructuredResultV2).headers as Record<
    string,
    string
  >
  return JSON.stringify({ ...(result as object), headers: rest })
    .replaceAll(event.requestContext.requestId, 'REQUEST')
    .replaceAll(url.split('?')[0]!, 'PATH')
}

/** Two tenants with a served document each, and a second agent of the first. No test changes them. */
async function tenants() {
  const mine = await stand.tenant()
  const theirs = await stand.tenant()
  const own = await makeDocument(mine)
  const foreign = await makeDocument(theirs)
  await makeDocument(theirs)
  await stand.deliver()
  await createAgent(stand.db, theirs.organizationId as OrganizationId, 'Second')
  const sibling = await createAgent(stand.db, mine.organizationId as OrganizationId, 'Sibling')
  return { mine, theirs, own, foreign, sibling: sibling.id as string }
}

type Tenants = Awaited<ReturnType<typeof tenants>>

let all: Tenants
beforeAll(async () => {
  all = await tenants()
})

/** Expects every row of every table unchanged. */
async function changesNothing(act: () => Promise<void>) {
  const before = await dumpOf(stand.pool)
  await act()
  expect(await dumpOf(stand.pool)).toEqual(before)
}

/** An id that exists in another organization, and one that exists nowhere, for each place of an id in a path. */
const positions: Record<string, (all: Tenants) => { known: Ids; unknown: Ids }> = {
  'agent and document': ({ foreign }) => ({ known: foreign, unknown: { agentId: newId(), documentId: newId() } }),
  agent: ({ own, foreign }) => ({ known: { ...own, agentId: foreign.agentId }, unknown: { ...own, agentId: newId() } }),
  document: ({ own, foreign }) => ({
    known: { ...own, documentId: foreign.documentId },
    unknown: { ...own, documentId: newId() },
  }),
  'document of another agent': ({ own, sibling }) => ({
    known: { ...own, agentId: sibling },
    unknown: { agentId: sibling, documentId: newId() },
  }),
}

const headers: Record<string, string>[] = [{}, { 'idempotency-key': 'k', 'if-match': '"0"', 'if-none-match': '*' }]

describe.each(keyedRoutes.filter(({ path }) => path.includes('{')))('$name', (route) => {
  const { method, path } = route
  const known = Object.entries(positions).filter(
    ([name]) => path.includes('{documentId}') || !name.startsWith('document'),
  )

  test('answers to another organization’s id as to a missing one, byte by byte, and changes no row', () =>
    changesNothing(async () => {
      for (const [name, of] of known)
        for (const more of headers) {
          const { known, unknown } = of(all)
          const answers = [known, unknown].map((ids) =>
            bytesOf(all.mine, method, fill(path, ids), exampleBody(route), more),
          )
          const [toKnown, toUnknown] = await Promise.all(answers)
          expect(toKnown, name).toBe(toUnknown)
        }
    }))
})

describe.each(keyedRoutes.filter(({ path }) => /\{(goldenQuestion|source|webhook)Id\}/.test(path)))(
  '$name',
  (route) => {
    test('answers to a valid body about another organization’s id as about a missing one, and changes no row', async () => {
      const { mine, theirs, own } = all
      const foreign = await makeDocument(theirs, route.path)
      await changesNothing(async () => {
        for (const agentId of [own.agentId, foreign.agentId]) {
          const [toKnown, toUnknown] = await Promise.all(
            [foreign, own].map((ids) =>
              bytesOf(mine, route.method, fill(route.path, { ...ids, agentId }), exampleBody(route)),
            ),
          )
          expect(toKnown).toBe(toUnknown)
          expect(JSON.parse(toKnown!).statusCode).toBe(404)
        }
      })
    })
  },
)

describe('ids within bodies and parameters', () => {
  test('of documents that a golden question expects do not work for other organizations', () =>
    changesNothing(async () => {
      const { mine, own, foreign } = all
      const golden = (document_id: string) =>
        bytesOf(mine, 'POST', `/v1/agents/${own.agentId}/golden-questions`, {
          question: 'Open?',
          expects: { document_id },
        })
      expect(await golden(foreign.documentId)).toBe(await golden(newId()))
    }))

  test('of documents to search in do not work for other organizations', () =>
    changesNothing(async () => {
      const { mine, own, foreign } = all
      for (const mode of ['hybrid', 'semantic', 'keyword']) {
        const search = (documentId: string) =>
          bytesOf(mine, 'POST', `/v1/agents/${own.agentId}/knowledge-base/search`, {
            query: 'Sunday',
            mode,
            document_ids: [documentId],
          })
        expect(await search(foreign.documentId)).toBe(await search(newId()))
      }
    }))

  test('of passages to fetch do not work for other organizations', () =>
    changesNothing(async () => {
      const { mine, own, foreign } = all
      for (const place of ['', '#0']) {
        const fetched = async (documentId: string) => {
          const params = { name: 'fetch', arguments: { id: `${documentId}${place}` } }
          return await bytesOf(mine, 'POST', `/v1/agents/${own.agentId}/mcp`, {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params,
          })
        }
        expect(await fetched(foreign.documentId)).toBe(await fetched(newId()))
      }
    }))

  test.each(['/v1/agents', '/v1/agents/{agentId}/knowledge-base'])(
    'in a cursor of others are like a cursor that was never issued (%s)',
    (path) =>
      changesNothing(async () => {
        const { mine, theirs, own, foreign } = all
        const { body } = await theirs.call('GET', `${fill(path, foreign)}?limit=1`)
        expect(body.next_cursor).toEqual(expect.any(String))
        const list = (cursor: string) => bytesOf(mine, 'GET', `${fill(path, own)}?cursor=${cursor}`, undefined)
        expect(await list(body.next_cursor)).toBe(await list('never'))
      }),
  )

  test('under an Idempotency-Key that another organization used are new', async () => {
    const [mine, theirs] = [await stand.tenant(), await stand.tenant()]
    const key = { 'idempotency-key': 'shared' }
    const theirDocument = await theirs.call('POST', theirs.knowledgeBase, { title: 'Theirs' }, key)
    const myDocument = await mine.call('POST', mine.knowledgeBase, { title: 'Mine' }, key)
    expect(myDocument).toMatchObject({ status: 201, body: { title: 'Mine' } })
    expect(myDocument.headers).not.toHaveProperty('idempotency-replayed')
    expect(myDocument.body.id).not.toBe(theirDocument.body.id)
  })
})
