import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { inScope, type Scope } from '../../../functions/crawler/site/address.ts'
import type { Client } from '../../../functions/crawler/site/client.ts'
import { type Decision, decide, type FoundPage } from '../../../functions/crawler/site/decide.ts'
import { type Fetched, fetchPage } from '../../../functions/crawler/site/page.ts'
import { robotsOf } from '../../../functions/crawler/site/robots.ts'
import { isSamePage } from '../../../functions/crawler/site/same-page.ts'
import { Random } from '../../simulation/random.ts'
import { isThorough } from '../../support/effort.ts'
import { requestTo } from '../sites/site.ts'
import { ownClient } from './own-client.ts'
import { SimulatedSite } from './simulated-site.ts'

interface Document {
  text: string
  at: Date
  hash: string
  etag: string | null
  goneSince: Date | null
}

const home = 'https://shop.example/'
const scope: Scope = { kind: 'site', url: home, include: [], exclude: [] }
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** One crawl as the Lambda makes it, with the documents in a map. */
async function crawl(client: Client, documents: Map<string, Document>, now: Date): Promise<Decision> {
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
  const decision = decide(before, found, { home, now, failed })
  for (const address of [...decision.create, ...decision.update]) {
    const { text, etag } = read.get(address)!
    documents.set(address, { text, etag, hash: hashOf(text), at: now, goneSince: null })
  }
  for (const address of decision.delete) documents.delete(address)
  for (const address of decision.markGone) documents.get(address)!.goneSince = now
  for (const address of decision.clearGone) documents.get(address)!.goneSince = null
  return decision
}

test('of 1,000 crawls with faults none deletes a page that exists or takes a notice for its text, and what is gone goes', async () => {
  const counts = { crawls: 0, faulty: 0, refused: 0, deleted: 0, updated: 0 }
  const wrong: string[] = []
  for (let seed = 1; seed <= (isThorough ? 400 : 25); seed++) {
    const random = new Random(seed)
    const world = new SimulatedSite(random)
    const documents = new Map<string, Document>()
    const interval = random.pick([6, 24, 24, 30, 72])
    let hour = 0
    const next = async () => {
      const now = new Date(Date.UTC(2026, 0, 1, hour))
      const decision = await crawl(ownClient(requestTo(world.site)), documents, now)
      counts.crawls++
      counts.faulty += Number(world.hasFault)
      counts.refused += Number(decision.refused !== undefined)
      counts.deleted += decision.delete.length
      counts.updated += decision.update.length
      for (const address of decision.delete)
        if (world.pages.has(new URL(address).pathname)) wrong.push(`${seed}, hour ${hour}: ${address} was deleted`)
      for (const [address, { text }] of documents)
        if (!text.includes('costs £')) wrong.push(`${seed}, hour ${hour}: ${address} says ${text.slice(0, 40)}`)
      hour += interval
      return decision
    }
    await next()
    for (let count = 0; count < 34; count++) {
      world.work()
      world.breakDown(hour)
      const { refused } = await next()
      if (refused === undefined && !world.hasFault) world.settle()
    }
    world.heal()
    for (let passed = 0; passed <= 72; passed += interval) await next()
    const texts = [...documents].map(([address, { text }]) => [
      new URL(address).pathname,
      /Page .* costs .*/.exec(text)?.[0],
    ])
    expect(texts.sort(), `seed ${seed}`).toEqual(
      [...world.pages.keys()].map((path) => [path, world.textOf(path)]).sort(),
    )
  }
  expect(wrong).toEqual([])
  expect(counts.crawls).toBeGreaterThanOrEqual(1_000)
  expect(counts.faulty).toBeGreaterThan(300)
  expect(counts.refused).toBeGreaterThan(100)
  expect(counts.deleted).toBeGreaterThan(50)
  expect(counts.updated).toBeGreaterThan(100)
})
