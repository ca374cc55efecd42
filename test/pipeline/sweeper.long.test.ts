import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { retryDocuments, type Target } from '../../infra/admin/documents.ts'
import type { Queue } from '../../shared/work/outbox.ts'
import { age, createDocument, newDocument } from '../support/documents/documents.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, newWorker, sweeperWith } from '../support/stand/worker.ts'
import { isThorough } from '../support/tools/effort.ts'
import { useSweeps } from './sweeps.ts'

const provider = useFakeProvider()
const { stand, rowsOf, swept } = useSweeps()

const rowOf = async ({ id }: { id: string }) =>
  (await rowsOf(sql`select status, error_code, attempt from documents where id = ${id}`))[0]

const broken: Queue = { send: () => Promise.reject(new Error('away')), changeVisibility: () => Promise.resolve() }

/** The messages that a sweep sends after the given time. */
async function sentAfter(seconds: number) {
  await age(stand.db, seconds)
  return (await swept()).ids
}

describe('a lost message', () => {
  test('brings the document to completed by the real queue', async () => {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'A text.' })
    await stand.deliver()
    await sql`update documents set status = 'pending', revision = revision + 1 where id = ${body.id}`.execute(stand.db)
    await age(stand.db, 160)
    await stand.sweep()
    await stand.deliver()
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body.status).toBe('completed')
  })

  test('that is lost again and again is sent ever less often: at most ten times a day', async () => {
    const document = await createDocument(await stand.tenant(), 'A text.')
    const due = sql<{
      seconds: number
    }>`select ceil(extract(epoch from resend_at - now()))::int as seconds from documents`
    let times = 0
    for (let day = 0; ; times++) {
      const { seconds } = (await rowsOf(due))[0]!
      day += seconds
      if (day > 23 * 3600) break
      expect(await sentAfter(seconds)).toEqual([document.id])
    }
    expect(times).toBeGreaterThanOrEqual(7)
    expect(times).toBeLessThanOrEqual(10)
  })

  test.each([130, 36_130])(
    'that cannot be sent is counted, and sent at the next sweep (%i s later)',
    async (waited) => {
      const document = await createDocument(await stand.tenant(), 'A text.')
      await age(stand.db, waited)
      expect(await sweep(sweeperWith(broken))).toMatchObject({ resent: 0, send_failures: 1 })
      expect((await swept()).ids).toEqual([document.id])
      expect((await swept()).ids).toEqual([])
    },
  )

  test('that a request could not send goes at the next sweep', async () => {
    const tenant = await stand.tenant()
    const call = callerOf(
      documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue: broken }),
      tenant.apiKey,
    )
    const { id } = (await call('POST', tenant.knowledgeBase, { title: 'T', content: 'One.' })).body
    expect((await swept()).ids).toEqual([id])
    await call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: 'Two.' })
    expect((await swept()).ids).toEqual([id])
    expect((await swept()).ids).toEqual([])
  })

  test('that a worker could not send goes at the first sweep after the document is due', async () => {
    const document = await createDocument(await stand.tenant(), 'A text.')
    provider.script(['too_many_requests'])
    await newWorker(stand, provider, { queue: broken, random: () => 1 })([document])
    expect((await swept()).ids).toEqual([])
    expect(await sentAfter(5)).toEqual([document.id])
    // No time for a call: requeued.
    await newWorker(stand, provider, { queue: broken })([document], () => 20_000)
    expect((await swept()).ids).toEqual([document.id])
  })

  test('that the operator’s retry could not send goes at the next sweep', async () => {
    const tenant = await stand.tenant()
    const { id } = await createDocument(tenant, 'A text.')
    const target = { organization_id: tenant.organizationId, agent_id: tenant.agentId, id, tags: '*' } as Target
    for (const queue of [broken, undefined]) {
      expect(await retryDocuments(stand.db, queue, [target])).toMatchObject([{ queued: false, refused: null }])
      expect((await swept()).ids).toEqual([id])
    }
  })

  test('is sent again after two minutes when the sweeper dies before it has sent', async () => {
    const document = await createDocument(await stand.tenant(), 'A text.')
    await age(stand.db, 10 * 3600)
    const started = Promise.withResolvers<void>()
    const dead: Queue = { ...broken, send: () => new Promise(() => started.resolve()) }
    void sweep(sweeperWith(dead))
    await started.promise
    expect((await swept()).ids).toEqual([])
    expect(await sentAfter(130)).toEqual([document.id])
  })

  test('of a document whose retry is scheduled is left alone until it is due', async () => {
    const document = await createDocument(await stand.tenant(), 'A text.')
    provider.script(['retry_in_an_hour'])
    await newWorker(stand, provider, { queue: keptQueue().queue })([document])
    expect(await sentAfter(800)).toEqual([])
    expect(await sentAfter(210)).toEqual([])
    expect(await sentAfter(20)).toEqual([document.id])
  })

  test('that starts a worker while the sweeper is still sending keeps the worker’s result', async () => {
    const document = await createDocument(await stand.tenant(), 'A text.')
    await age(stand.db, 130)
    provider.script(['retry_in_an_hour'])
    const work = newWorker(stand, provider, { queue: keptQueue().queue })
    await sweep(sweeperWith({ send: async () => void (await work([document])) }))
    expect(await sentAfter(910)).toEqual([])
    expect(await sentAfter(120)).toEqual([document.id])
  })

  test('of a document that is the client’s, completed or in error is never sent', async () => {
    const tenant = await stand.tenant()
    const completed = await createDocument(tenant, 'A text.')
    const failed = await createDocument(tenant, 'POISON')
    await newWorker(stand, provider)([completed, failed])
    await tenant.call('POST', tenant.knowledgeBase, { title: 'The client’s' })
    const taken = await createDocument(tenant, 'A text.')
    await tenant.call('POST', `${taken.path}/chunks`, { chunks: [{ content: 'x', chunk_index: 0 }] })
    expect(await sentAfter(90_000)).toEqual([])
  })
})

describe('a day’s wait', () => {
  test('ends in error, and says whose fault it was', async () => {
    const tenant = await stand.tenant()
    const refused = await createDocument(tenant, 'A text.')
    provider.script(['too_many_requests'])
    await newWorker(stand, provider, { queue: keptQueue().queue })([refused])
    const forgotten = await createDocument(tenant, 'Another.')
    await age(stand.db, 86_000)
    expect((await swept()).report.given_up).toBe(0)
    await age(stand.db, 500)
    expect((await swept()).report.given_up).toBe(2)
    expect(await rowOf(refused)).toMatchObject({ status: 'error', error_code: 'provider_unavailable' })
    expect(await rowOf(forgotten)).toMatchObject({ status: 'error', error_code: 'not_processed' })
    const { body } = await tenant.call('GET', refused.path)
    expect(body.error_message).toBe(
      'The document could not be embedded for 24 hours. The embedding provider is busy (status 429: Rate limit reached). Set the status to pending to try again.',
    )
  })

  test('starts again with a change of content', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    await age(stand.db, 86_000)
    await tenant.call('PATCH', document.path, { content: 'Another.' })
    await age(stand.db, 500)
    await swept()
    expect(await rowOf(document)).toMatchObject({ status: 'pending' })
  })
})

describe('a backlog', () => {
  test('of one organization does not delay the others, and all of its documents are sent', async () => {
    const greedy = await stand.tenant()
    const modest = await stand.tenant()
    await seed(greedy, 1500)
    const mine = await Promise.all([1, 2, 3].map((i) => createDocument(modest, `Text ${i}.`)))
    const ids = await sentAfter(130)
    expect(ids).toHaveLength(1000)
    for (const { id } of mine) expect(ids).toContain(id)
    expect(new Set([...ids, ...(await swept()).ids])).toHaveLength(1503)
    expect((await swept()).ids).toEqual([])
  })

  const backlog = isThorough ? 10_000 : 200

  test(`of ${backlog} documents that merely wait in line does not flood the queue`, async () => {
    const tenant = await stand.tenant()
    await seed(tenant, backlog)
    let sent = 0
    for (let minutes = 0; minutes < 120; minutes += 10) {
      sent += (await sentAfter(600)).length
    }
    // Two hours: at 2, 4, 8, … minutes of age at most.
    expect(sent).toBeLessThanOrEqual(backlog * 6)
  })

  /** Documents as the API would have made them. */
  const seed = (tenant: Tenant, count: number) =>
    stand.db.batch({
      disable: sql`alter table documents disable trigger user`,
      insert: sql`insert into documents (organization_id, id, agent_id, title, content, content_hash, status, managed_by)
        select ${tenant.organizationId}, gen_random_uuid(), ${tenant.agentId}, 'T', 'x', '\\x00', 'pending', 'service'
        from generate_series(1, ${count})`,
      checked: sql`set constraints all immediate`,
      enable: sql`alter table documents enable trigger user`,
    })
})

describe('locked rows', () => {
  test('are skipped without waiting', async () => {
    const tenant = await stand.tenant()
    await createDocument(tenant, 'A text.')
    await age(stand.db, 90_000)
    // PGlite runs one transaction at a time, so the sweep runs after it there.
    const lock = sql`select from documents where organization_id = ${tenant.organizationId} for update`
    const [, { report }] = await Promise.all([stand.db.batch({ lock, one: sql`select 1` }), swept()])
    const rest = await swept()
    expect(report.given_up + rest.report.given_up).toBe(1)
  })
})

test('the sweeper reports the age of the oldest unfinished document, its recoveries and its failures', async () => {
  await createDocument(await stand.tenant(), 'A text.')
  await age(stand.db, 300)
  const { OldestPendingSeconds, LeaseRecoveries, DocumentsFailed } = await figuresOf(swept)
  expect(OldestPendingSeconds).toBeGreaterThanOrEqual(300)
  expect(OldestPendingSeconds).toBeLessThan(400)
  expect({ LeaseRecoveries, DocumentsFailed }).toEqual({ LeaseRecoveries: 0, DocumentsFailed: 0 })
})
