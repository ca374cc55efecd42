import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { purgeCall, restoreCall } from '../../infra/admin/calls.ts'
import type { Database } from '../../shared/database/database.ts'
import { newId } from '../../shared/ids.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { isOnServer } from '../support/tools/effort.ts'

const stand = useStand()

async function setting(tenant: Tenant, auto_delete_done_calls: boolean) {
  expect(await tenant.call('PATCH', '/v1/organization', { auto_delete_done_calls })).toMatchObject({ status: 200 })
}

/** A tenant whose done calls move to the trash. */
async function deleting(): Promise<Tenant> {
  const tenant = await stand.tenant()
  await setting(tenant, true)
  return tenant
}

async function call(tenant: Tenant, done = false, db: Database = stand.db): Promise<string> {
  const id = newId()
  await sql`
    insert into calls (organization_id, agent_id, id, done_at)
    values (${tenant.organizationId}, ${tenant.agentId}, ${id}, ${done ? sql`now()` : null})`.execute(db)
  return id
}

const markDone = (id: string, db: Database = stand.db) =>
  sql`update calls set done_at = now() where id = ${id}`.execute(db)

async function isTrashed(id: string): Promise<boolean> {
  const { rows } = await sql<{ trashed: boolean }>`
    select deleted_at is not null as trashed from calls where id = ${id}`.execute(stand.db)
  return rows[0]!.trashed
}

describe('with auto_delete_done_calls on', () => {
  test('a call marked as done moves to the trash in the same transaction', async () => {
    const tenant = await deleting()
    const id = await call(tenant)
    expect(await isTrashed(id)).toBe(false)
    const { marked } = await stand.db.batch({
      mark: sql`update calls set done_at = now() where id = ${id}`,
      marked: sql<{ same: boolean }>`select deleted_at = now()::timestamptz(3) as same from calls where id = ${id}`,
    })
    expect(marked[0]).toEqual({ same: true })
  })

  test('a call inserted or upserted as done is in the trash', async () => {
    const tenant = await deleting()
    expect(await isTrashed(await call(tenant, true))).toBe(true)
    const id = await call(tenant)
    await sql`
      insert into calls (organization_id, agent_id, id, done_at)
      values (${tenant.organizationId}, ${tenant.agentId}, ${id}, now())
      on conflict (organization_id, id) do update set done_at = excluded.done_at`.execute(stand.db)
    expect(await isTrashed(id)).toBe(true)
  })

  test('a role that may only write calls moves them to the trash too', async () => {
    const tenant = await deleting()
    const role = `call_service_${newId().replaceAll('-', '')}`
    const id = await call(tenant)
    await sql`create role ${sql.id(role)}`.execute(stand.db)
    try {
      await sql`grant select, insert, update on calls to ${sql.id(role)}`.execute(stand.db)
      await stand.db.batch({
        become: sql`set local role ${sql.id(role)}`,
        mark: sql`update calls set done_at = now() where id = ${id}`,
      })
    } finally {
      await sql`drop owned by ${sql.id(role)}`.execute(stand.db)
      await sql`drop role ${sql.id(role)}`.execute(stand.db)
    }
    expect(await isTrashed(id)).toBe(true)
  })

  test('a call that is not done stays out of the trash when other columns change', async () => {
    const tenant = await deleting()
    const id = await call(tenant)
    await sql`update calls set created_at = now() where id = ${id}`.execute(stand.db)
    expect(await isTrashed(id)).toBe(false)
  })

  test('a restored call stays out of the trash on every later update', async () => {
    const tenant = await deleting()
    const id = await call(tenant, true)
    await restoreCall(stand.db, id)
    await sql`update calls set created_at = now() where id = ${id}`.execute(stand.db)
    await markDone(id)
    expect(await isTrashed(id)).toBe(false)
  })
})

describe('with auto_delete_done_calls off', () => {
  test('a call marked as done stays where it is', async () => {
    const tenant = await stand.tenant()
    const id = await call(tenant)
    await markDone(id)
    expect(await isTrashed(id)).toBe(false)
  })

  test('turning it on does not affect earlier calls, even when a done call changes again', async () => {
    const tenant = await stand.tenant()
    const before = await call(tenant, true)
    await setting(tenant, true)
    expect(await isTrashed(before)).toBe(false)
    await markDone(before)
    expect(await isTrashed(before)).toBe(false)
  })

  test('turning it off keeps calls in the trash, and moves no later calls there', async () => {
    const tenant = await deleting()
    const before = await call(tenant, true)
    await setting(tenant, false)
    expect(await isTrashed(before)).toBe(true)
    expect(await isTrashed(await call(tenant, true))).toBe(false)
  })

  test('another organization’s setting makes no difference', async () => {
    const [tenant, other] = [await stand.tenant(), await stand.tenant()]
    await setting(other, true)
    expect(await isTrashed(await call(tenant, true))).toBe(false)
  })
})

describe('concurrently with the setting', () => {
  const lockOn = async ({ organizationId }: Tenant) => {
    const { rows } = await sql<{ xmax: string }>`select xmax from organizations
      where id = ${organizationId}`.execute(stand.db)
    return rows[0]!.xmax
  }

  /** Runs `meanwhile` while a transaction of the call service that has marked the call as done is open, then commits it. */
  async function whileMarkedDone(id: string, meanwhile: () => Promise<void>): Promise<void> {
    const session = await stand.pool.connect()
    try {
      await session.query('begin')
      await session.query('update calls set done_at = now() where id = $1', [id])
      await meanwhile()
      await session.query('commit')
    } finally {
      session.release(true)
    }
  }

  test('twenty calls done at once do not lock the organization’s row', async () => {
    const tenant = await deleting()
    const before = await lockOn(tenant)
    const ids = await Promise.all(Array.from({ length: 20 }, () => call(tenant)))
    await Promise.all(ids.map((id) => markDone(id)))
    expect(await lockOn(tenant)).toBe(before)
  })

  // The embedded database has one session: nothing can run beside an open transaction.
  test.runIf(isOnServer)(
    'an open transaction that marks a call as done blocks no PATCH (needs a server: two sessions)',
    async () => {
      const tenant = await stand.tenant()
      const before = await call(tenant)
      const after = await call(tenant)
      await whileMarkedDone(before, async () => {
        await setting(tenant, true)
        await markDone(after)
      })
      expect([await isTrashed(before), await isTrashed(after)]).toEqual([false, true])
      const last = await call(tenant)
      await whileMarkedDone(last, () => setting(tenant, false))
      expect([await isTrashed(last), await isTrashed(await call(tenant, true))]).toEqual([true, false])
    },
  )
})

test('only a call in the trash is purged or restored', async () => {
  const tenant = await stand.tenant()
  const id = await call(tenant, true)
  await expect(purgeCall(stand.db, id)).rejects.toThrow(`call ${id} is not in the trash`)
  await expect(restoreCall(stand.db, id)).rejects.toThrow(`call ${id} is not in the trash`)
  expect(await isTrashed(id)).toBe(false)
})
