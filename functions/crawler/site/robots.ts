import type { Client } from './client.ts'
import { follow } from './follow.ts'
import { rulesIn } from './robots-rules.ts'

export interface Robots {
  allows: (address: string) => boolean
  sitemaps: string[]
  /** Why robots.txt cannot be read, or that there is no such host. Then nothing is allowed, and the crawl ends with this sentence. */
  failed?: string
}

const maxPauseSeconds = 30
const maxBytes = 5 * 1024 * 1024
/** The rest of a longer file does not count, except the line that begins before. */
const maxRead = 500 * 1024

/** The rules of an address's host for Cuecard. Has the client observe the pause that they ask for. */
export async function robotsOf(client: Client, address: string): Promise<Robots> {
  const { origin } = new URL(address)
  const unread = `robots.txt of ${origin} can't be read, so nothing was asked for.`
  const failed = (reason: string): Robots => ({ allows: () => false, sitemaps: [], failed: reason })
  const followed = await follow(client, `${origin}/robots.txt`, { maxBytes })
  if ('kind' in followed && followed.kind === 'failed')
    return failed(followed.isUnknownHost ? followed.reason : `${unread} ${followed.reason}`)
  const { status, body } = 'kind' in followed ? { status: 404, body: Buffer.alloc(0) } : followed.response
  if (status === 429 || status >= 500) return failed(`${unread} It answers with the status ${status}.`)
  const rest = body.subarray(maxRead).findIndex((byte) => byte === 0x0a || byte === 0x0d)
  const read = rest < 0 ? body : body.subarray(0, maxRead + rest)
  const rules = rulesIn(status === 200 ? read.toString().replace(/^\ufeff/, '') : '', 'cuecard')
  if (rules.delay !== undefined) client.setPause(address, Math.min(Math.max(1, rules.delay), maxPauseSeconds))
  return {
    // The rules hold for the host with and without `www.`.
    allows: (asked) => {
      const { pathname, search } = new URL(asked)
      return rules.allows(pathname + search)
    },
    sitemaps: rules.sitemaps.flatMap((sitemap) => URL.parse(sitemap, origin)?.href ?? []),
  }
}
