import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { purgeQueryVectors } from '../../functions/sweeper/purge.ts'
import { toStored } from '../../shared/embedding/stored-vectors.ts'
import { signIn } from '../../shared/organizations/sessions.ts'
import { age, createDocument } from '../support/documents/documents.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { axis } from '../support/provider/axis.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'
import { useSweeps } from './sweeps.ts'

const { stand, rowsOf, swept } = useSweeps()

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

  test.each(faults)('(%s) fails the run after the rest of its work is done', async (kind, change, table, when) => {
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
    sql`insert into query_vectors (organization_id, key, embedding, created_at)
      select ${tenant.organizationId}, sha256(days::text::bytea), ${toStored(axis(1)).embedding}::halfvec(1536), now() - make_interval(secs => days * 86400)
      from unnest(${days}::float8[]) days`.execute(stand.db)
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

  test('are dropped above a maximum per organization, the oldest first, as soon as it has a new one', async () => {
    const [busy, quiet] = [await stand.tenant(), await stand.tenant()]
    await remember(busy, 4, 3, 2, 1, 0)
    await remember(quiet, 4, 3, 2)
    expect(await purgeQueryVectors(databaseAs('cuecard_sweeper'), 3)).toBe(2)
    expect(await left(busy)).toEqual([0, 1, 2])
    expect(await left(quiet)).toEqual([2, 3, 4])
  })
})
