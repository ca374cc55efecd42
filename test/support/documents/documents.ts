import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '../../../shared/database/database.ts'
import type { Tenant } from '../stand/stand.ts'

/** The parts of a document that a worker needs, and its path in the API. */
export interface TestDocument {
  id: string
  organizationId: string
  path: string
}

/** @param content without it, the document is the client's */
export async function createDocument(tenant: Tenant, content?: string, title = 'T'): Promise<TestDocument> {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title, ...(content && { content }) })
  return { id: body.id, organizationId: tenant.organizationId, path: `${tenant.knowledgeBase}/${body.id}` }
}

/** A document with chunks of the client's own, numbered in order, which search serves. */
export async function serveChunks(tenant: Tenant, chunks: object[], title?: string): Promise<TestDocument> {
  const document = await createDocument(tenant, undefined, title)
  const { path } = document
  const numbered = chunks.map((chunk, chunk_index) => ({ chunk_index, ...chunk }))
  expect(await tenant.call('POST', `${path}/chunks`, { chunks: numbered })).toMatchObject({ status: 201 })
  expect(await tenant.call('PATCH', path, { status: 'completed' })).toMatchObject({ status: 200 })
  return document
}

/** A document of a tenant of its own. */
export async function newDocument(stand: { tenant(): Promise<Tenant> }, content?: string) {
  const tenant = await stand.tenant()
  return { tenant, document: await createDocument(tenant, content) }
}

/** Makes every document and source as much older. @param db as the owner */
export async function age(db: Database, seconds: number): Promise<void> {
  const by = sql`make_interval(secs => ${seconds})`
  await db.batch({
    documents: sql`update documents set resend_at = resend_at - ${by}, pending_since = pending_since - ${by},
      lease_expires_at = lease_expires_at - ${by}, next_attempt_at = next_attempt_at - ${by}`,
    sources: sql`update sources set resend_at = resend_at - ${by}, next_check_at = next_check_at - ${by},
      lease_expires_at = lease_expires_at - ${by}, resume_at = resume_at - ${by}`,
  })
}

/** Lets the lease of a claimed document expire. @param db as the owner */
export async function expireLease(db: Database, { id }: { id: string }): Promise<void> {
  await sql`update documents set lease_expires_at = now() - interval '1 second'
    where id = ${id} and status = 'processing'`.execute(db)
}

/** Gives the agent so many documents more. */
export async function fillAgent({ db }: { db: Database }, tenant: Tenant, count: number): Promise<void> {
  await sql`insert into documents (organization_id, id, agent_id, title, status, managed_by)
    select ${tenant.organizationId}, gen_random_uuid(), ${tenant.agentId}, 'T', 'pending', 'client'
    from generate_series(1, ${count}::int)`.execute(db)
}
