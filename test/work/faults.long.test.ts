import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { attemptsInterrupted, fileAttemptsFailed } from '../../shared/documents/contract/failures.ts'
import { processing } from '../../shared/documents/processing/guards.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { newId } from '../../shared/ids.ts'
import { request } from '../../shared/outbound/request.ts'
import { crawling } from '../../shared/websites/transitions.ts'
import { inn, sourceOf } from '../sources/source-of.ts'
import { website } from '../sources/website.ts'
import { age, newDocument } from '../support/documents/documents.ts'
import { newExtractor, newFile } from '../support/documents/files.ts'
import { newWebhook, useReceiver } from '../support/http/receiver.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { newWorker, sweeperWith } from '../support/stand/worker.ts'

const stand = useStand()
const receiver = useReceiver(stand)

let steps = 0
let next: (() => Promise<unknown>) | undefined
/** A worker's slow step, during which the test may act. @returns true if it did */
async function slowStep(): Promise<boolean> {
  steps++
  const act = next
  next = undefined
  await act?.()
  return act !== undefined
}

beforeEach(() => {
  process.env.ALLOW_LOOPBACK = 'true'
  steps = 0
})
// The sweeper works across organizations, so each test leaves it nothing to do.
afterEach(async () => void (await sql`truncate organizations, obsolete_files cascade`.execute(stand.db)))

interface Work {
  id: string
  /** One worker with one message. */
  work: () => Promise<unknown>
  /** `done`, the error in which it ended, or null while it is not done. */
  outcome: () => Promise<string | null>
}

const outcomeOf = ({ body: { status, error_message } }: Awaited<ReturnType<Tenant['call']>>) =>
  ['completed', 'ready'].includes(status) ? 'done' : error_message

async function documentWork(): Promise<Work> {
  const { tenant, document } = await newDocument(stand, 'A text.')
  const lexical = lexicalEmbedder()
  const embed = async (texts: string[]) => {
    await slowStep()
    return await lexical.embed(texts)
  }
  const work = () => newWorker(stand, { baseUrl: 'http://unused' }, { embedder: { ...lexical, embed } })([document])
  return { id: document.id, work, outcome: async () => outcomeOf(await tenant.call('GET', document.path)) }
}

async function fileWork(): Promise<Work> {
  const { file } = await newFile(stand)
  const extractText = async () => ({ text: (await slowStep()) ? 'late' : 'done', sourceType: 'txt' as const })
  const stored = sql<{ outcome: string | null }>`
    select coalesce(error_message, extracted_text) as outcome from documents where id = ${file.id}`
  const outcome = async () => (await stored.execute(stand.db)).rows[0]!.outcome
  return { id: file.id, work: () => newExtractor(stand, { extractText }).upload(file, 'A file.'), outcome }
}

async function sourceWork(): Promise<Work> {
  const site = await website(inn())
  const { id, state, deliver, call, source } = await sourceOf(stand, `${site.url}/prices`, { kind: 'page' })
  state.request = async (...args) => {
    await slowStep()
    return await request(...args)
  }
  return { id, work: deliver, outcome: async () => outcomeOf(await call('GET', source)) }
}

async function eventWork(): Promise<Work> {
  const { tenant, id, deliveries } = await newWebhook(stand)
  await sql`select tell(${tenant.organizationId}, 'document.completed', ${newId()}, '{}')`.execute(stand.db)
  receiver.answers(async () => ((await slowStep()) ? 500 : 204))
  const outcome = async () => ((await deliveries())[0].status === 'delivered' ? 'done' : null)
  return { id, work: receiver.run, outcome }
}

/** Lets time pass. */
async function pass(seconds: number): Promise<void> {
  await age(stand.db, seconds)
  receiver.pass(seconds)
}

/** The documents and sources whose messages a sweep sends. */
async function swept(): Promise<string[]> {
  const ids: string[] = []
  await sweep(sweeperWith({ send: async ({ id }) => void ids.push(id) }))
  return ids
}

/** A worker that dies in its slow step. */
async function die({ work }: Work): Promise<void> {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  next = () => new Promise<never>(() => resolve())
  void work()
  await begun
}

/** The version of every row that workers write. */
async function versions(): Promise<unknown> {
  const tables = ['documents', 'chunks', 'sources', 'source_pages', 'webhooks', 'webhook_deliveries']
  const each = tables.map((table) => sql`select ${table} as of, xmin::text from ${sql.table(table)}`)
  return (await sql`${sql.join(each, sql` union all `)} order by 1, 2`.execute(stand.db)).rows
}

const { leaseSeconds, lostAfterSeconds } = processing
const documents = { leaseSeconds, lostAfterSeconds, steps: 1 }
const kinds = {
  document: { ...documents, begin: documentWork, exhausted: attemptsInterrupted.message },
  file: { ...documents, begin: fileWork, exhausted: fileAttemptsFailed.message },
  source: { ...crawling, begin: sourceWork, steps: 2, exhausted: 'The crawl was interrupted five times in a row.' },
  event: { leaseSeconds: 60, begin: eventWork, steps: 1 },
}

describe.each(Object.entries(kinds))('the work of a %s', (_, { begin, leaseSeconds, steps: stepsInAll }) => {
  test('is done once by three workers at once', async () => {
    const { work, outcome } = await begin()
    await Promise.all([work(), work(), work()])
    await work()
    expect([await outcome(), steps]).toEqual(['done', stepsInAll])
  })

  test('is taken over from a dead worker after its lease has expired, not before', async () => {
    const each = await begin()
    await die(each)
    await pass(leaseSeconds - 10)
    await each.work()
    expect([await each.outcome(), steps]).toEqual([null, 1])
    await pass(20)
    await each.work()
    expect([await each.outcome(), steps]).toEqual(['done', 1 + stepsInAll])
  })

  test('is not changed by a worker that returns after its lease has expired', async () => {
    const { work, outcome } = await begin()
    let before: unknown
    next = async () => {
      await pass(leaseSeconds + 10)
      await work()
      before = await versions()
    }
    await work()
    expect(await versions()).toEqual(before)
    expect(await outcome()).toBe('done')
  })
})

const { event: __, ...queued } = kinds
describe.each(Object.entries(queued))(
  'the message for a %s',
  (_, { begin, lostAfterSeconds, leaseSeconds, exhausted }) => {
    test('is sent again, once, if no worker takes it in time', async () => {
      const { id } = await begin()
      await pass(lostAfterSeconds - 10)
      expect(await swept()).toEqual([])
      await pass(20)
      expect(await swept()).toEqual([id])
      expect(await swept()).toEqual([])
    })

    test('is sent again after a dead worker’s lease, four times; the fifth interruption ends in error', async () => {
      const each = await begin()
      for (let attempt = 1; attempt <= 5; attempt++) {
        await die(each)
        expect(await swept()).toEqual([])
        await pass(leaseSeconds + 10)
        if (attempt < 5) expect(await swept()).toEqual([each.id])
      }
      await swept()
      await each.work()
      expect([await each.outcome(), steps]).toEqual([exhausted, 5])
    })
  },
)
