import { createHash } from 'node:crypto'
import { inScope, type Scope } from '../../../functions/crawler/site/address.ts'
import { type CrawlChanges, changesOfCrawl, type FoundPage } from '../../../functions/crawler/site/changes.ts'
import type { Client } from '../../../functions/crawler/site/client.ts'
import { type Fetched, fetchPage } from '../../../functions/crawler/site/page.ts'
import { robotsOf } from '../../../functions/crawler/site/robots.ts'
import { isSamePage } from '../../../functions/crawler/site/same-page.ts'

export interface Document {
  text: string
  at: Date
  hash: string
  etag: string | null
  goneSince: Date | null
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** One crawl as the Lambda makes it, with the documents in a map. */
export async function crawl(
  client: Client,
  home: string,
  documents: Map<string, Document>,
  now: Date,
): Promise<CrawlChanges> {
  const scope: Scope = { kind: 'site', url: home, include: [], exclude: [] }
  const robots = await robotsOf(client, home)
  const allows = (address: string) => inScope(scope, address) && robots.allows(address)
  const addresses = new Set([home, ...documents.keys()])
  const found: FoundPage[] = []
  const read = new Map<string, Extract<Fetched, { kind: 'page' }>>()
  let failed = robots.failed
  for (const address of failed ? [] : addresses) {
    const known = documents.get(address)
    const fetched: Fetched = allows(address)
      ? await fetchPage(client, address, { ...known, allows })
      : { kind: 'left_out', reason: 'robots.txt forbids it.' }
    if (address === home && 'reason' in fetched && !('links' in fetched && fetched.links?.length))
      failed = fetched.reason
    if (address === home && fetched.kind === 'gone') failed = 'The start page is gone.'
    for (const link of 'links' in fetched ? (fetched.links ?? []) : []) if (allows(link)) addresses.add(link)
    if (fetched.kind !== 'page') {
      found.push({ address, kind: fetched.kind })
      continue
    }
    const { address: at, isMoved, text } = fetched
    const isChanged = !known || !(await isSamePage(client, address, known, { text, at: now }))
    read.set(at, fetched)
    found.push({ address, kind: 'page', at, isMoved, isChanged, hash: hashOf(text), characters: text.length })
  }
  const before = [...documents].map(([address, { text, ...rest }]) => ({ address, characters: text.length, ...rest }))
  const decision = changesOfCrawl(before, found, { home, now, failed })
  for (const address of [...decision.create, ...decision.update]) {
    const { text, etag } = read.get(address)!
    documents.set(address, { text, etag, hash: hashOf(text), at: now, goneSince: null })
  }
  for (const address of decision.delete) documents.delete(address)
  for (const address of decision.markGone) documents.get(address)!.goneSince = now
  for (const address of decision.clearGone) documents.get(address)!.goneSince = null
  return decision
}
