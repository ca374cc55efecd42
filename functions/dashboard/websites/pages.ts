import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope, WebsiteScope } from '../../../shared/database/scope.ts'

/** The state of a website's pages. */
export interface Standing {
  id: string
  is_under_way: boolean
  pages: number
  /** Pages that the current crawl has looked at. */
  looked: number
  left_out: number
}

export interface ShownPage {
  address: string
  left_out: string | null
  looked_at: Date | null
  gone_since: Date | null
  document_id: string | null
  title: string | null
  /** A person edited or deleted the page's document, so crawls no longer change it. `document_id` is the edited document's. */
  by_hand: 'edited' | 'deleted' | null
}

/** Reads the standings of the agent's websites, or of one website, by website id. */
export async function readStandings(
  db: Database,
  { organizationId, agentId, sourceId }: AgentScope & Partial<WebsiteScope>,
) {
  const { rows } =
    await sql<Standing>`select s.id, s.resume_at is not null as is_under_way, count(p.address)::int as pages,
      count(*) filter (where p.crawl = s.crawl and p.task is distinct from 'fetch')::int as looked, count(p.left_out)::int as left_out
    from sources s left join source_pages p on p.organization_id = s.organization_id and p.source_id = s.id
    where s.organization_id = ${organizationId} and s.agent_id = ${agentId}
      and ${sourceId ? sql`s.id = ${sourceId}` : sql`true`}
    group by s.organization_id, s.id`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Reads a website's pages after an address, in order of address. */
export async function readPages(
  db: Database,
  { organizationId, sourceId }: WebsiteScope,
  { after, isLeftOut, limit }: { after: string; isLeftOut: boolean; limit: number },
): Promise<{ pages: ShownPage[]; hasMore: boolean }> {
  const { rows } =
    await sql<ShownPage>`select p.address, p.left_out, p.looked_at, p.gone_since, coalesce(d.id, o.id) as document_id, coalesce(d.title, o.title) as title,
      case when d.id is null and p.applied_hash is not null then case when o.id is null then 'deleted' else 'edited' end end as by_hand
    from source_pages p left join documents d on d.organization_id = p.organization_id and d.agent_id = p.agent_id
      and d.source_id = p.source_id and d.external_id = p.address
    left join documents o on o.organization_id = p.organization_id and o.agent_id = p.agent_id and o.external_id = p.address
      and o.source_id is null and o.source_url is null and o.managed_by = 'service'
    where p.organization_id = ${organizationId} and p.source_id = ${sourceId} and p.address > ${after}
      and ${isLeftOut ? sql`p.left_out is not null` : sql`true`}
    order by p.address limit ${limit + 1}`.execute(db)
  return { pages: rows.slice(0, limit), hasMore: rows.length > limit }
}
