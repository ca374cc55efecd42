import { allRoutes, type Route } from '../../infra/openapi/apps.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { Answer, Tenant } from './stand.ts'

/** The values of a path's variables. */
export interface Ids {
  agentId: string
  documentId: string
}

export type KeyedRoute = Route & { permission: Permission; name: string }

/** Every route that needs a key. A new one joins by itself: its first example is the body that tests send. */
export const keyedRoutes: KeyedRoute[] = allRoutes().flatMap((route) => {
  const { permission, operationId: name } = route.operation
  return permission === 'none' ? [] : [{ ...route, permission, name }]
})

export const publicRoutes = allRoutes().filter((route) => route.operation.permission === 'none')

export const paths = [...new Set(allRoutes().map((route) => route.path))]

/** A path with its variables filled in; throws at a variable that the tests do not know. */
export function fill(path: string, ids: Ids): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name as keyof Ids] ?? { file: 'page.css', revision: '1' }[name]
    if (value === undefined) throw new Error(`The tests have no value for {${name}}`)
    return value
  })
}

/** A body that the operation accepts; undefined when it takes none. */
export function exampleBody({ operation }: Route): unknown {
  return Object.values(operation.examples ?? {})[0]
}

/** A document with content, stored under the tenant's agent; the ids that lead to it. */
export async function makeDocument(tenant: Tenant): Promise<Ids> {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Hours', content: 'Closed on Sunday.' })
  return { agentId: tenant.agentId, documentId: body.id }
}

/** An answer without what names the single request: to be compared with another's. */
export function comparable({ status, headers, body }: Answer) {
  const { 'x-request-id': _, 'server-timing': __, ...rest } = headers
  if (typeof body !== 'object' || body === null) return { status, headers: rest, body }
  const { instance: ___, request_id: ____, ...said } = body
  return { status, headers: rest, body: said }
}
