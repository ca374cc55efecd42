import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { Random } from '../simulation/random.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { createDocument, expireLease } from '../support/documents/documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import { useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker, sweeperWith } from '../support/stand/worker.ts'
import { isOnServer, isThorough } from '../support/tools/effort.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

/** PGlite runs statements one at a time, so fewer searches suffice there. */
const searches = isOnServer ? 1_000 : isThorough ? 400 : 50

interface Listed {
  id: string
  status: string
  content: string
}
interface Hit {
  document_id: string
  content: string
}

test(`${searches} searches, while texts are patched and workers die, find no mixed and no stale revision`, async () => {
  const random = new Random(7)
  const tenant = await stand.tenant()
  const text = (name: string, version: number) =>
    Array.from({ length: 3 }, (_, i) => `Version ${version} part ${i} of ${name} is on sale.`).join('\n\n')
  const documents = await Promise.all(
    ['apples', 'bells', 'chairs', 'drums'].map(async (name) => {
      return { ...(await createDocument(tenant, text(name, 0))), name, version: 0 }
    }),
  )
  await newWorker(stand, provider)(documents)

  let isOver = false
  const seen = { searches: 0, mixed: 0, gaps: 0, stale: 0, completions: 0, patches: 0, crashes: 0 }
  const until = (act: () => Promise<unknown>) => async () => {
    while (!isOver) await act()
  }

  async function search() {
    // Remember each document's text at its last completion before this search began …
    const { data } = (await tenant.call('GET', tenant.knowledgeBase)).body as { data: Listed[] }
    const before = documents.map(({ id }) => data.find((each) => each.id === id)!)
    const everything = { embedding: [...vectorOf('q')], limit: 50 }
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, everything)
    for (const [i, document] of documents.entries()) {
      const hits = (body.data as Hit[]).filter((hit) => hit.document_id === document.id)
      const versions = new Set(hits.map((hit) => Number(/Version (\d+)/.exec(hit.content)![1])))
      if (versions.size > 1) seen.mixed++
      if (hits.length !== 3) seen.gaps++
      // … is the oldest that it may find.
      const completed = before[i]!.status === 'completed' ? Number(/Version (\d+)/.exec(before[i]!.content)![1]) : 0
      if (Math.min(...versions) < completed) seen.stale++
    }
    if (++seen.searches >= searches) isOver = true
  }

  async function patch() {
    const document = random.pick(documents)
    const { status } = await tenant.call('PATCH', document.path, { content: text(document.name, ++document.version) })
    expect(status).toBe(200)
    seen.patches++
    await new Promise((resolve) => setImmediate(resolve))
  }

  async function work() {
    if (random.chance(0.15)) {
      seen.crashes++
      connection.lose(random.pick(['before', 'after']), random.pick([statements.commit, statements.part]))
    }
    // Three parts, or one that goes with the commit.
    const callLimits = { inputs: random.pick([1, 100]), tokens: 1000 }
    await newWorker(stand, provider, { queue: keptQueue().queue, callLimits })(documents)
  }

  /** Leases expire quickly, so that other workers take over, often from a worker that still runs. */
  async function hasten() {
    await sql`update documents set lease_expires_at = now() - interval '1 ms'
      where status = 'processing' and random() < 0.3`.execute(stand.db)
    await sweep(sweeperWith(keptQueue().queue))
    seen.completions += (await sql`select from documents where status = 'completed'`.execute(stand.db)).rows.length
  }

  const people = [search, search, search, search, patch, work, work, hasten].map((act) => until(act)())
  await Promise.all(people).finally(() => {
    isOver = true
  })

  // Patchers rest: all ends with the newest text.
  for (let round = 0; round < 20; round++) {
    for (const document of documents) await expireLease(stand.db, document)
    await sql`update documents set next_attempt_at = null where status = 'pending'`.execute(stand.db)
    await newWorker(stand, provider)(documents)
  }
  for (const document of documents) {
    const { body } = await tenant.call('GET', document.path)
    if (body.status === 'error') await tenant.call('PATCH', document.path, { status: 'pending' })
    await newWorker(stand, provider)([document])
    const newest = { status: 'completed', content: text(document.name, document.version), chunk_count: 3 }
    expect((await tenant.call('GET', document.path)).body).toMatchObject(newest)
  }
  const beyond = sql`select 1 from chunks c join documents d on d.id = c.document_id where c.revision > d.active_revision`
  expect((await beyond.execute(stand.db)).rows).toEqual([])
  expect(await strayRows(stand.db)).toEqual([])
  expect(seen).toMatchObject({ mixed: 0, gaps: 0, stale: 0 })
  expect(seen.searches).toBeGreaterThanOrEqual(searches)
  expect(Math.min(seen.patches, seen.completions, seen.crashes)).toBeGreaterThan(0)
  console.info('searches while patched', seen)
}, 900_000)
