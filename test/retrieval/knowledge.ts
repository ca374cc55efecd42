import { expect } from 'vitest'
import type { AgentScope } from '../../shared/database/scope.ts'
import type { DocumentId } from '../../shared/ids.ts'
import type { Tenant, TestStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'

/** A tenant whose agent serves these documents. @returns also their ids, in order */
export async function tenantWith(stand: TestStand, ...documents: { title: string; content: string }[]) {
  const tenant = await stand.tenant()
  const { status, body } = await tenant.call('POST', `${tenant.knowledgeBase}/batch`, { documents })
  expect(status).toBe(201)
  await stand.deliver()
  return { tenant, ids: body.data.map(({ id }: { id: DocumentId }) => id) as DocumentId[] }
}

export const scopeOf = (tenant: Tenant) => tenant as unknown as AgentScope

/** The database as the search Lambda reaches it for the tenant. */
export const searchDatabaseOf = (tenant: Tenant) =>
  databaseAs('cuecard_search').forOrganization(scopeOf(tenant).organizationId)
