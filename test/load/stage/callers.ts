import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { makeTenant, unlimit } from '../../support/tenant.ts'
import { documentOf } from '../generator/requests.ts'
import type { Caller } from '../generator/stream.ts'

export type Limit = 'default' | 'none'

const documentsPerCaller = 10
const sectionsPerDocument = 10

/** An organization of its own without limits, with an agent that has documents, which are processed in the background. */
export async function makeCaller(db: Database, origin: string): Promise<Caller> {
  const { organizationId, apiKey, knowledgeBase } = await makeTenant(db)
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const documentIds: string[] = []
  for (let n = 0; n < documentsPerCaller; n++) {
    const body = JSON.stringify(documentOf(n * sectionsPerDocument, sectionsPerDocument))
    const response = await fetch(`${origin}${knowledgeBase}`, { method: 'POST', headers, body })
    const document = await response.json()
    if (!response.ok)
      throw new Error(`creating a document was answered ${response.status}: ${JSON.stringify(document)}`)
    documentIds.push((document as { id: string }).id)
  }
  return { organizationId, apiKey, knowledgeBase, documentIds }
}

/** What an organization may send a second: what every new one may, or as much as comes. */
export async function setLimit(db: Database, { organizationId }: Caller, limit: Limit): Promise<void> {
  if (limit === 'none') return await unlimit(db, organizationId)
  await sql`update organizations set requests_per_second = default, request_burst = default
    where id = ${organizationId}`.execute(db)
}
