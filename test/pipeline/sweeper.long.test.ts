import { type RawBuilder, sql } from 'kysely'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import { purgeQueryVectors } from '../../functions/sweeper/purge.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { retryDocuments, type Target } from '../../infra/admin/documents.ts'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import { toStored } from '../../shared/embedding/vectors.ts'
import { signIn } from '../../shared/organizations/sessions.ts'
import type { Queue } from '../../shared/queue.ts'
import { age, createDocument, newDocument } from '../support/documents/documents.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, newWorker, sweeperWith } from '../support/stand/worker.ts'
import { isThorough } from '../support/tools/effort.ts'

const provider = useFakeProvider()
const stand = useStand()

// The sweeper works across organizations, so each test leaves no work behind.
afterEach(async () => {
  await sql`truncate organizations cascade`.execute(stand.db)
})

const rowsOf = async <T>(query: RawBuilder<T>) => (await query.execute(stand.db)).rows
const rowOf = async ({ id }: { id: string }) =>
  (await rowsOf(sql`select status, error_code, attempt from documents where id = ${id}`))[0]

const broken: Queue = { send: () => Promise.reject(new Error('away')), changeVisibility: () => Promise.resolve() }

async function swept() {
  const { queue, sent } = keptQueue()
  const report = await sweep(sweeperWith(queue))
  return { report, ids: sent.map((each) => each.documentId) }
}

/** The messages that a sweep sends after the given time. */
async function sentAfter(seconds: number) {
  await age(stand.db, seconds)
  return (await swept()).ids
}

describe('a lost message', () => {
  test('is sent again when no worker has come for two minutes, not before', async () => {
    const document = await createDocument(await stand.tenant(), 'A text.')
    expect((await swept()).ids).toEqual([])
    expect(await sentAfter(110)).toEqual([])
    expect(await sentAfter(20)).toEqual([document.id])
    expect((await swept()).ids).toEqual([])
  })

  test('brings the document to completed by the real queue', async () => {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'A text.' })
    await stand.deliver()
    await sql`update documents set status = 'pending', revision = revision + 1 where id = ${body.id}`.execute(stand.db)
    await age(stand.db, 121)
    await stand.sweep()
    await stand.deliver()
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body.status).toBe('completed')
  })

  test('that is sent again and lost again is sent ever less often: ten times in a day', async () => {
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

  test('of a document that is the client’s, completed or in error is not missed', async () => {
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

describe('a worker that died', () => {
  test('releases its document when the lease expires, and a message is sent at once', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    provider.script(['hang'])
    void newWorker(stand, provider)([document])
    await expect.poll(() => provider.calls.length).toBe(1)
    await age(stand.db, 140)
    expect((await swept()).report).toMatchObject({ recovered: 0, resent: 0 })
    await age(stand.db, 20)
    expect(await swept()).toMatchObject({ report: { recovered: 1, resent: 1, given_up: 0 }, ids: [document.id] })
    await newWorker(stand, provider)([document])
    expect((await tenant.call('GET', document.path)).body.status).toBe('completed')
  })

  test('five times over ends the document in error, which a retry takes back', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await rowOf(document)).toMatchObject({ status: 'pending', attempt: attempt - 1 })
      provider.calls.length = 0
      provider.script(['hang'])
      void newWorker(stand, provider)([document])
      await expect.poll(() => provider.calls.length).toBe(1)
      await age(stand.db, 160)
      await swept()
    }
    expect(await rowOf(document)).toMatchObject({ status: 'error', error_code: 'attempts_exhausted' })
    await tenant.call('PATCH', document.path, { status: 'pending' })
    await newWorker(stand, provider)([document])
    expect((await tenant.call('GET', document.path)).body).toMatchObject({ status: 'completed', error_message: null })
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
  test('of one organization leaves the others their turn, and every document gets its own', async () => {
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

describe('rows that somebody holds', () => {
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

describe('a fault in one kind of work', () => {
  /** Makes the database refuse a kind of change until the test ends. */
  async function refuse(change: string, table: string, when = 'true') {
    await stand.db.batch({
      raise: sql`create or replace function raise_fault() returns trigger language plpgsql
        as $$ begin raise exception 'a fault'; end $$`,
      trigger: sql.raw(
        `create trigger fault before ${change} on ${table} for each row when (${when}) execute function raise_fault()`,
      ),
    })
    onTestFinished(async () => void (await sql.raw(`drop trigger fault on ${table}`).execute(stand.db)))
  }

  const faults: [kind: string, change: string, table: string, when?: string][] = [
    ['told_of_waiting', 'insert', 'webhook_deliveries', "new.type = 'document.waiting'"],
    ['told_of_unanswered', 'update of digested_on', 'webhooks'],
    ['keys_purged', 'delete', 'idempotency_keys'],
    ['sessions_purged', 'delete', 'sessions'],
    ['unprocessed', 'update', 'documents', "new.error_code = 'not_processed'"],
    ['recovered', 'update', 'documents', "old.status = 'processing'"],
    ['sources_sent', 'update of resend_at', 'sources'],
  ]

  test.each(faults)('(%s) ends the run in error, and leaves the rest of it done', async (kind, change, table, when) => {
    const tenant = await stand.tenant()
    const old = await createDocument(tenant, 'A text that nobody has processed for a day.')
    await age(stand.db, 86_500)
    const [crashed, lost] = [await createDocument(tenant, 'One.'), await createDocument(tenant, 'Two.')]
    await tenant.call('POST', '/v1/webhooks', {
      url: 'https://shop.example/',
      events: ['document.waiting', 'questions.unanswered'],
    })
    await tenant.call('POST', `/v1/agents/${tenant.agentId}/sources`, { url: 'https://inn.example/' })
    await tenant.call('POST', tenant.knowledgeBase, { title: 'T' }, { 'idempotency-key': 'old' })
    await signIn(stand.db, tenant.apiKey, '192.0.2.1')
    await stand.db.batch({
      crashed: sql`update documents set status = 'processing', lease_token = gen_random_uuid(), attempt = 1,
        lease_expires_at = now() - interval '1 second' where id = ${crashed.id}`,
      lost: sql`update documents set resend_at = now() - interval '1 second',
        pending_since = now() - interval '11 minutes' where id = ${lost.id}`,
      source: sql`update sources set resend_at = now() - interval '1 second'`,
      keys: sql`update idempotency_keys set created_at = now() - interval '25 hours'`,
      sessions: sql`update sessions set expires_at = now() - interval '1 second'`,
      digest: sql`update webhooks set digested_on = digested_on - 1`,
    })
    const state = async () => {
      const rows = await rowsOf<Record<string, boolean>>(sql`select
        (select count(*) = 0 from documents where status = 'processing') as recovered,
        (select count(*) = 1 from documents where id = ${old.id} and status = 'error') as unprocessed,
        (select count(*) = 1 from documents where id = ${lost.id} and resend_at > now()) as resent,
        (select count(*) = 1 from sources where resend_at > now()) as sources_sent,
        (select count(*) > 0 from webhook_deliveries where type = 'document.waiting') as told_of_waiting,
        (select count(*) = 0 from webhooks where digested_on < (now() at time zone 'utc')::date) as told_of_unanswered,
        (select count(*) = 0 from idempotency_keys where key = 'old') as keys_purged,
        (select count(*) = 0 from sessions) as sessions_purged`)
      return rows[0]!
    }
    expect(Object.values(await state())).not.toContain(true)
    await refuse(change, table, when)
    const figures = await figuresOf(() => expect(swept()).rejects.toThrow(`Not swept: ${kind}`))
    const all = Object.keys(await state()).map((each) => [each, each !== kind])
    expect(await state()).toEqual(Object.fromEntries(all))
    expect(figures).toMatchObject({
      OldestPendingSeconds: expect.any(Number),
      LeaseRecoveries: kind === 'recovered' ? 0 : 1,
    })
  })
})

describe('idempotency keys', () => {
  test('are dropped after a day, not before', async () => {
    const tenant = await stand.tenant()
    await tenant.call('POST', tenant.knowledgeBase, { title: 'T' }, { 'idempotency-key': 'old' })
    await sql`update idempotency_keys set created_at = created_at - interval '25 hours'`.execute(stand.db)
    await tenant.call('POST', tenant.knowledgeBase, { title: 'T' }, { 'idempotency-key': 'new' })
    expect((await swept()).report.keys_purged).toBe(1)
    expect(await rowsOf(sql`select key from idempotency_keys`)).toEqual([{ key: 'new' }])
  })

  test('are dropped as fast as the API can accept them: 30,000 a minute and more', async () => {
    const tenant = await stand.tenant()
    await sql`
      insert into idempotency_keys (organization_id, api_key_id, key, request_hash, owner, created_at)
      select organization_id, id, i::text, '', id, now() - interval '25 hours'
      from api_keys, generate_series(1, 40000) i
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect((await swept()).report.keys_purged).toBe(40_000)
  })
})

describe('vectors of questions', () => {
  /** Stores a vector for each age in days; its key tells which. */
  const remember = (tenant: Tenant, ...days: number[]) =>
    sql`insert into query_vectors (organization_id, key, embedding, high, middle, low, cosine_per_unit, created_at)
      select ${tenant.organizationId}, sha256(days::text::bytea), ${toStored(axis(1)).embedding}::halfvec(1536),
        ${sketch}::bit(1536), ${sketch}::bit(1536), ${sketch}::bit(1536), 1, now() - make_interval(secs => days * 86400)
      from unnest(${days}::float8[]) days`.execute(stand.db)
  const sketch = sketchOf(axis(1))
  const left = async ({ organizationId }: Tenant) => {
    const days = sql<{ days: number }>`select round(extract(epoch from now() - created_at) / 86400)::int as days
      from query_vectors where organization_id = ${organizationId} order by 1`
    return (await rowsOf(days)).map(({ days }) => days)
  }

  test('are dropped after 30 days, not before', async () => {
    const tenant = await stand.tenant()
    await remember(tenant, 31, 29, 0, 40)
    expect((await swept()).report.query_vectors_purged).toBe(2)
    expect(await left(tenant)).toEqual([0, 29])
    expect((await swept()).report.query_vectors_purged).toBe(0)
  })

  test('are dropped beyond so many of an organization, the oldest first, as soon as it has a new one', async () => {
    const [busy, quiet] = [await stand.tenant(), await stand.tenant()]
    await remember(busy, 4, 3, 2, 1, 0)
    await remember(quiet, 4, 3, 2)
    expect(await purgeQueryVectors(databaseAs('cuecard_sweeper'), 3)).toBe(2)
    expect(await left(busy)).toEqual([0, 1, 2])
    expect(await left(quiet)).toEqual([2, 3, 4])
  })

  test('go with their organization', async () => {
    const tenant = await stand.tenant()
    await remember(tenant, 1)
    await sql`delete from organizations where id = ${tenant.organizationId}`.execute(stand.db)
    expect(await left(tenant)).toEqual([])
  })
})

test('the sweeper reports the age of the oldest document in work, and what it did', async () => {
  await createDocument(await stand.tenant(), 'A text.')
  await age(stand.db, 300)
  const { OldestPendingSeconds, LeaseRecoveries, DocumentsFailed } = await figuresOf(swept)
  expect(OldestPendingSeconds).toBeGreaterThanOrEqual(300)
  expect(OldestPendingSeconds).toBeLessThan(400)
  expect({ LeaseRecoveries, DocumentsFailed }).toEqual({ LeaseRecoveries: 0, DocumentsFailed: 0 })
})
