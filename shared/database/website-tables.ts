import type { Generated } from 'kysely'
import type { Id, Time, TimeOrNull } from './column-types.ts'

export interface WebsiteTables {
  sources: {
    organization_id: Id
    id: Id
    agent_id: Id
    url: string
    /** The url's canonical form. */
    address: string
    kind: WebsiteKind
    include: string[]
    exclude: string[]
    refresh_hours: number
    status: Generated<WebsiteStatus>
    error_message: string | null
    notice: string | null
    checked_at: Date | null
    next_check_at: Time
    crawl: Generated<number>
    /** When the crawl in progress continues; null if there is none. */
    resume_at: Date | null
    lease_token: string | null
    lease_expires_at: Date | null
    attempt: Generated<number>
    failures: Generated<number>
    /** The part of the sitemap that the crawl in progress has yet to read. */
    sitemap: SitemapReading | null
    resend_at: Time
    request_id: string | null
    requested_by: Id | null
    deleted_at: TimeOrNull
    created_at: Time
  }
  source_pages: {
    organization_id: Id
    agent_id: Id
    source_id: Id
    address: string
    crawl: number
    task: PageTask | null
    found: 'page' | 'unchanged' | 'gone' | 'left_out' | 'failed' | 'excluded' | null
    left_out: string | null
    /** The page's own address, if this one leads to it. */
    at: string | null
    is_moved: boolean | null
    title: string | null
    content: string | null
    characters: number | null
    text_hash: Buffer | null
    is_changed: boolean | null
    found_hash: Buffer | null
    /** The hash of the title and the text last written to the document. */
    applied_hash: Buffer | null
    etag: string | null
    last_modified: string | null
    gone_since: Date | null
    looked_at: Date | null
  }
}

/** The known files of a sitemap, the index of the next one to read, and the number of addresses found. */
export interface SitemapReading {
  files: { address: string; depth: number }[]
  at: number
  found: number
}

export type WebsiteKind = 'page' | 'sitemap' | 'site'
export type WebsiteStatus = 'pending' | 'ready' | 'error' | 'deleting'
/** The next step of a crawl for a page. */
export type PageTask = 'fetch' | 'create' | 'update' | 'delete'
