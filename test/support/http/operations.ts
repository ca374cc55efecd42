import { allRoutes, type Route } from '../../../infra/openapi/apps.ts'
import { newId } from '../../../shared/ids.ts'
import type { Permission } from '../../../shared/organizations/permissions.ts'
import type { Answer, Tenant } from '../stand/stand.ts'

/** The values of a path's variables. */
export interface Ids {
  agentId: string
  documentId: string
  /** One that does not exist unless given. */
  goldenQuestionId?: string
  externalId?: string
  sourceId?: string
  webhookId?: string
  deliveryId?: string
}

export type KeyedRoute = Route & { permission: Permission; name: string }

/** Every route that needs a key. A new one joins by itself: its first example is the body that tests send. */
export const keyedRoutes: KeyedRoute[] = allRoutes().flatMap((route) => {
  const { permission, isByToken, operationId: name } = route.operation
  return permission === 'none' || isByToken ? [] : [{ ...route, permission, name }]
})

export const publicRoutes = allRoutes().filter((route) => route.operation.permission === 'none')

export const paths = [...new Set([...keyedRoutes, ...publicRoutes].map((route) => route.path))]

/** What the operation's query must have, for an agent that is named like the tenants'. */
export const queryOf = ({ operation }: Route) => (operation.operationId === 'deleteAgent' ? '?confirm=Agent' : '')

const noId = newId()

/** A path with its variables filled in; throws at a variable that the tests do not know. */
export function fill(path: string, ids: Ids): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value =
      ids[name as keyof Ids] ??
      { file: 'page.css', revision: '1', externalId: 'hours' }[name] ??
      { goldenQuestionId: noId, sourceId: noId, webhookId: noId, deliveryId: noId }[name]
    if (value === undefined) throw new Error(`The tests have no value for {${name}}`)
    return value
  })
}

/** A body that the operation accepts; undefined when it takes none. */
export function exampleBody({ operation }: Route): unknown {
  return Object.values(operation.examples ?? {})[0]
}

/** Stores a document with content under the tenant's agent, and whatever else the path names. @returns the path's ids */
export async function makeDocument(tenant: Tenant, path = ''): Promise<Ids> {
  // Case matters in it.
  const named = path.includes('{externalId}') && { external_id: newId().toUpperCase() }
  const document = { title: 'Hours', content: 'Closed on Sunday.', ...named }
  const { body } = await tenant.call('POST', tenant.knowledgeBase, document)
  const { agentId } = tenant
  const ids = { agentId, documentId: body.id, ...(named && { externalId: named.external_id }) }
  if (path.includes('{sourceId}')) {
    const source = await tenant.call('POST', `/v1/agents/${agentId}/sources`, { url: `https://${newId()}.example/` })
    return { ...ids, sourceId: source.body.id }
  }
  if (path.includes('{webhookId}')) {
    // An organization has ten at most.
    const { body: before } = await tenant.call('GET', '/v1/webhooks')
    for (const { id } of before.data) await tenant.call('DELETE', `/v1/webhooks/${id}`)
    const hook = await tenant.call('POST', '/v1/webhooks', {
      url: 'https://shop.example/',
      events: ['document.failed'],
    })
    const test = await tenant.call('POST', `${hook.headers.location}/test`)
    return { ...ids, webhookId: hook.body.id, deliveryId: test.body.id }
  }
  if (!path.includes('{goldenQuestionId}')) return ids
  const question = { question: 'Are you open on Sunday?', expects: { nothing: true } }
  const golden = await tenant.call('POST', `/v1/agents/${agentId}/golden-questions`, question)
  return { ...ids, goldenQuestionId: golden.body.id }
}

/** An answer without parts that name its request, to compare it with another's. */
export function comparable({ status, headers, body }: Answer) {
  const { 'x-request-id': _, 'server-timing': __, ...rest } = headers
  if (typeof body !== 'object' || body === null) return { status, headers: rest, body }
  const { instance: ___, request_id: ____, ...said } = body
  return { status, headers: rest, body: said }
}
