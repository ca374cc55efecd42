import { expect, test } from 'vitest'
import { Random } from '../../simulation/random.ts'
import { isThorough } from '../../support/tools/effort.ts'
import { requestTo } from '../sites/site.ts'
import { crawl, type Document } from './crawl.ts'
import { instantClient } from './instant-client.ts'
import { SimulatedSite } from './simulated-site.ts'

const home = 'https://shop.example/'

test('1,000 crawls with faults delete no page that exists, store no notice as a text, and delete the pages that are gone', async () => {
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
      const decision = await crawl(instantClient(requestTo(world.site)), home, documents, now)
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
    const stored = [...documents].map(([url, { text }]) => [new URL(url).pathname, /Page .* costs .*/.exec(text)?.[0]])
    const published = [...world.pages.keys()].map((path) => [path, world.textOf(path)])
    expect(stored.sort(), `seed ${seed}`).toEqual(published.sort())
  }
  expect(wrong).toEqual([])
  expect(counts.crawls).toBeGreaterThanOrEqual(1_000)
  expect(counts.faulty).toBeGreaterThan(300)
  expect(counts.refused).toBeGreaterThan(100)
  expect(counts.deleted).toBeGreaterThan(50)
  expect(counts.updated).toBeGreaterThan(100)
})
