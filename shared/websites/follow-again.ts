import { sql } from 'kysely'
import type { WebsiteScope } from '../database/scope.ts'
import type { Origin } from '../work/message.ts'
import type { Outbox } from '../work/outbox.ts'
import { isKept } from './transitions.ts'
import { refreshWebsite, type Website } from './websites.ts'

/**
 * Starts a crawl, which gives a document that was edited or deleted by hand the text of its page again. Does nothing to another page.
 * @throws ApiError agent_not_found, source_not_found
 */
export async function followAgain(
  outbox: Outbox,
  scope: WebsiteScope,
  address: string,
  origin: Origin,
): Promise<Website> {
  const { organizationId, agentId, sourceId } = scope
  const isOfPage = sql`d.organization_id = ${organizationId} and d.agent_id = ${agentId} and d.external_id = ${address}`
  await outbox.db.batch({
    // Without it the page counts as never stored, so that its text is not compared with the document's.
    pages: sql`update source_pages p set applied_hash = null
      where p.organization_id = ${organizationId} and p.agent_id = ${agentId} and p.source_id = ${sourceId} and p.address = ${address}
        and not exists (select from documents d where ${isOfPage} and d.source_id = ${sourceId})`,
    documents: sql`update documents d set source_id = ${sourceId}, source_type = 'txt'
      where ${isOfPage} and d.source_id is null and d.source_url is null and d.managed_by = 'service'
        and exists (select from sources s where ${isKept(scope)})
        and exists (select from source_pages p where p.organization_id = ${organizationId} and p.source_id = ${sourceId}
          and p.address = ${address})`,
  })
  return await refreshWebsite(outbox, scope, origin)
}
