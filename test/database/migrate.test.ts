import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Backfill, backfill, type Progress } from '../../infra/migrations/backfill.ts'
import { indexTerms } from '../../infra/migrations/index-terms.ts'
import { migrate } from '../../infra/migrations/migrate.ts'
import { buildIndex, dropIndex, inTransaction } from '../../infra/migrations/steps.ts'
import { axis } from '../support/axis.ts'
import { isOnServer } from '../support/effort.ts'
import { type Tenant, useStand } from '../support/stand.ts'
import { strayRows } from '../support/stray-rows.ts'

const stand = useStand()

/** A table of its own for a test, with so many rows. @returns its name, which is also that of a migration */
async function makeTable(rows = 0): Promise<string> {
  const name = `t${crypto.randomUUID().slice(0, 8)}`
  await sql`create table ${sql.id(name)} as select i as id, ${'old'} as form from generate_series(1, ${rows}::int) i`.execute(
    stand.db,
  )
  return name
}

async function recorded(name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration where name like ${`${name}%`} order by name`.execute(stand.db)
  return rows.map((row) => row.name)
}

const noPause = { pause: () => Promise.resolve() }
/** Batches of this size, however slow the machine is. */
const inTens = { maxRows: 10, batchMilliseconds: Number.POSITIVE_INFINITY }

/** Whether each index of the table is valid, by its name. */
async function indexesOf(table: string): Promise<Record<string, boolean>> {
  const { rows } = await sql<{ name: string; valid: boolean }>`
    select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = ${table}::regclass`.execute(
    stand.db,
  )
  return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]))
}

test('a database at the newest schema is left alone, by two runs at once as well', async () => {
  expect(await Promise.all([migrate(stand.pool), migrate(stand.pool)])).toEqual([[], []])
})

test('code that is older than the schema leaves the newer migrations alone, as a rollback needs', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999_newer', 'now')`.execute(stand.db)
  expect(await migrate(stand.pool)).toEqual([])
  expect(await recorded('9999_newer')).toEqual(['9999_newer'])
})

describe('the steps of a migration', () => {
  test('are applied in order and recorded each, and those that two runs want to apply are applied once', async () => {
    const t = await makeTable(3)
    const migrations = {
      [t]: {
        steps: [
          inTransaction(`alter table ${t} add column code text`, `update ${t} set code = 'c' || id`),
          buildIndex(`${t}_code`, `on ${t} (code)`, { unique: true }),
          dropIndex(`${t}_none`),
          inTransaction(`alter table ${t} add unique using index ${t}_code`),
        ],
      },
    }
    const runs = await Promise.all([migrate(stand.pool, migrations), migrate(stand.pool, migrations)])
    const names = [t, `${t}.02`, `${t}.03`, `${t}.04`]
    expect(runs.toSorted()).toEqual([[], names])
    expect(await recorded(t)).toEqual(names)
    expect(await indexesOf(t)).toEqual({ [`${t}_code`]: true })
  })

  test('before one that fails stay applied, it leaves nothing behind, and the next run continues with it', async () => {
    const t = await makeTable()
    const added = inTransaction(`alter table ${t} add column code text`)
    const failing = inTransaction(`alter table ${t} add column more text`, `select\n nonsense`)
    const failure = await migrate(stand.pool, { [t]: { steps: [added, failing] } }).catch((error) => error)
    expect(failure.message).toBe(`${t}.02: column "nonsense" does not exist`)
    expect(await recorded(t)).toEqual([t])
    const repaired = inTransaction(`alter table ${t} add column more text`)
    expect(await migrate(stand.pool, { [t]: { steps: [added, repaired] } })).toEqual([`${t}.02`])
  })

  test('build an index anew of which an interrupted build has left an invalid one', async () => {
    const t = await makeTable(3)
    await sql`update ${sql.id(t)} set form = id::text where id > 1`.execute(stand.db)
    await sql`insert into ${sql.id(t)} values (4, 'old')`.execute(stand.db)
    const migrations = { [t]: { steps: [buildIndex(`${t}_form`, `on ${t} (form)`, { unique: true })] } }
    await expect(migrate(stand.pool, migrations)).rejects.toThrow('could not create unique index')
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: false })
    await sql`delete from ${sql.id(t)} where id = 4`.execute(stand.db)
    expect(await migrate(stand.pool, migrations)).toEqual([t])
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: true })
  })

  test('leave the settings of their connection as they were', async () => {
    const t = await makeTable()
    const show = async () =>
      (
        await sql`select current_setting('lock_timeout') as l, current_setting('statement_timeout') as s`.execute(
          stand.db,
        )
      ).rows
    const before = await show()
    await migrate(stand.pool, { [t]: { steps: [inTransaction('select 1'), buildIndex(`${t}_id`, `on ${t} (id)`)] } })
    expect(await show()).toEqual(before)
  })
})

describe.runIf(isOnServer)('beside a transaction that holds a lock (the embedded database has one connection)', () => {
  /** Runs `act` while a transaction that has written to the table is open. */
  async function whileWritten(table: string, act: (commit: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const client = await stand.pool.connect()
    try {
      await client.query(`begin; insert into ${table} values (100, 'old')`)
      await act(() => client.query('commit'))
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  test('a step gives up soon, so that nobody queues behind it for long, and is applied when the lock is free', async () => {
    const t = await makeTable(1)
    await whileWritten(t, async (commit) => {
      const pauses: number[] = []
      const pause = async (milliseconds: number) => {
        // It has left the queue: a read, which would be behind it, does not wait.
        await sql`select from ${sql.id(t)}`.execute(stand.db)
        if (pauses.push(milliseconds) === 3) await commit()
      }
      const migrations = { [t]: { steps: [inTransaction(`alter table ${t} add column code text`)] } }
      expect(await migrate(stand.pool, migrations, { lockMilliseconds: 20, pause })).toEqual([t])
      expect(pauses).toEqual([1000, 2000, 4000])
    })
  })

  test('a step that never gets its lock fails, by name, and the next run applies it', async () => {
    const t = await makeTable(1)
    const migrations = { [t]: { steps: [inTransaction(`alter table ${t} add column code text`)] } }
    const patience = { lockMilliseconds: 5, ...noPause }
    await whileWritten(t, async () => {
      const failure = await migrate(stand.pool, migrations, patience).catch((error) => error.message)
      expect(failure).toBe(`${t}: canceling statement due to lock timeout`)
    })
    expect(await migrate(stand.pool, migrations)).toEqual([t])
  })

  test('the connection that builds an index is lost, and the next run builds it', async () => {
    const t = await makeTable(1)
    const migrations = { [t]: { steps: [buildIndex(`${t}_form`, `on ${t} (form)`)] } }
    await whileWritten(t, async () => {
      const failure = migrate(stand.pool, migrations).catch((error) => error.message)
      const kill = async () =>
        (
          await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where query like ${`create%${t}%`} and wait_event_type = 'Lock'`.execute(stand.db)
        ).rows
      await expect.poll(kill).toHaveLength(1)
      expect(await failure).toBe(`${t}: terminating connection due to administrator command`)
    })
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: false })
    expect(await migrate(stand.pool, migrations)).toEqual([t])
    expect(await indexesOf(t)).toEqual({ [`${t}_form`]: true })
  })
})

/** A table with so many rows in the old form, and the backfill that converts them. */
async function makeOldRows(rows: number) {
  const table = `b${crypto.randomUUID().slice(0, 8)}`
  await sql`create table ${sql.id(table)} (id integer primary key, old text, converted text, conversions integer default 0)`.execute(
    stand.db,
  )
  await sql`insert into ${sql.id(table)} select i, 'row ' || i from generate_series(1, ${rows}::int) i`.execute(
    stand.db,
  )
  const counts = async () =>
    (
      await sql<{ left: string; wrong: string; converted: string }>`
        select count(*) filter (where converted is null)::text as left, sum(conversions)::text as converted,
          count(*) filter (where converted is distinct from upper(old))::text as wrong
        from ${sql.id(table)}`.execute(stand.db)
    ).rows[0]!
  return { table, counts, ...upperCase(table) }
}

function upperCase(table: string) {
  const batches: (number | undefined)[] = []
  const backfill: Backfill<number> = {
    name: table,
    async convert(db: Kysely<never>, after, limit) {
      batches.push(after)
      const { rows } = await sql<{ id: string; old: string }>`
        select id, old from ${sql.id(table)} where converted is null and id > ${after ?? 0}
        order by id limit ${limit} for update skip locked`.execute(db)
      if (rows.length === 0) return { converted: 0, last: undefined }
      await sql`update ${sql.id(table)} t set converted = made.converted, conversions = conversions + 1
        from unnest(${rows.map(({ id }) => Number(id))}::int[], ${rows.map(({ old }) => old.toUpperCase())}::text[]) made (id, converted)
        where t.id = made.id`.execute(db)
      return { converted: rows.length, last: Number(rows.at(-1)!.id) }
    },
  }
  return { backfill, batches }
}

describe('a backfill', () => {
  test('converts every row once, in batches, and says when a pass has found none left', async () => {
    const { counts, backfill: each, table } = await makeOldRows(95)
    const shown: Progress[] = []
    const onProgress = (progress: Progress) => shown.push(progress)
    expect(await backfill(stand.pool, [each], { ...noPause, ...inTens, onProgress })).toEqual([
      { name: table, converted: 95, isComplete: true },
    ])
    expect(await counts()).toEqual({ left: '0', wrong: '0', converted: '95' })
    expect(shown).toEqual([{ name: table, converted: 95, isComplete: true }])
  })

  test('that is interrupted ends after its batch, and the next run converts what is left', async () => {
    const { counts, backfill: each, table } = await makeOldRows(95)
    const interrupt = new AbortController()
    let pauses = 0
    const pause = () => {
      if (++pauses === 3) interrupt.abort()
      return Promise.resolve()
    }
    const first = await backfill(stand.pool, [each], { pause, ...inTens, signal: interrupt.signal })
    expect(first).toEqual([{ name: table, converted: 30, isComplete: false }])
    expect(await counts()).toMatchObject({ left: '65', converted: '30' })
    expect(await backfill(stand.pool, [each], { ...noPause, ...inTens })).toMatchObject([{ converted: 65 }])
    expect(await counts()).toEqual({ left: '0', wrong: '0', converted: '95' })
  })

  test('of which a batch crashes leaves nothing half done, and the error says where', async () => {
    const { counts, backfill: each, table, batches } = await makeOldRows(95)
    const crashing: Backfill<number> = {
      name: table,
      async convert(db, after, limit) {
        const batch = await each.convert(db, after, limit)
        if (batches.length === 3) throw new Error('out of\nmemory')
        return batch
      },
    }
    await expect(backfill(stand.pool, [crashing], { ...noPause, ...inTens })).rejects.toThrow(
      `${table}, after 20: out of memory`,
    )
    expect(await counts()).toMatchObject({ left: '75', converted: '20' })
    expect(await backfill(stand.pool, [each], noPause)).toMatchObject([{ converted: 75, isComplete: true }])
    expect(await counts()).toEqual({ left: '0', wrong: '0', converted: '95' })
  })

  test('leaves rows that are written, changed and deleted meanwhile as their writers left them, and converts them', async () => {
    const { counts, backfill: each, table } = await makeOldRows(300)
    const t = sql.id(table)
    let isDone = false
    const ran = Promise.all([
      backfill(stand.pool, [each], { ...noPause, ...inTens }),
      backfill(stand.pool, [each], { ...noPause, ...inTens, maxRows: 7 }),
    ]).finally(() => {
      isDone = true
    })
    let written = 300
    do {
      written++
      // Old code knows nothing of the new form, a change of a row is one to its old form.
      await sql`insert into ${t} (id, old) values (${written}, ${`row ${written}`})`.execute(stand.db)
      await sql`update ${t} set old = old || '!', converted = null where id = ${written % 300}`.execute(stand.db)
      await sql`delete from ${t} where id = ${(7 * written) % 300}`.execute(stand.db)
    } while (!isDone)
    await ran
    await backfill(stand.pool, [each], noPause)
    expect(await counts()).toMatchObject({ left: '0', wrong: '0' })
  })

  test('pauses in proportion to its batches, which shrink while they take too long', async () => {
    const limits: number[] = []
    const worked: number[] = []
    const pauses: number[] = []
    const slow: Backfill<number> = {
      name: 'slow',
      async convert(db, _after, limit) {
        const started = performance.now()
        await sql`select sum(i) from generate_series(1, 300000) i`.execute(db)
        worked.push(performance.now() - started)
        return { converted: limits.push(limit), last: limits.length < 4 ? limits.length : undefined }
      },
    }
    const interrupt = new AbortController()
    const pause = (milliseconds: number) => {
      if (pauses.push(milliseconds) === 3) interrupt.abort()
      return Promise.resolve()
    }
    await backfill(stand.pool, [slow], { pause, share: 0.25, batchMilliseconds: 0, signal: interrupt.signal })
    expect(limits).toEqual([50, 25, 13])
    expect(pauses.filter((milliseconds, i) => milliseconds < 3 * worked[i]!)).toEqual([])
  })
})

describe('the backfill of terms', () => {
  const inPairs = { ...noPause, maxRows: 2, batchMilliseconds: Number.POSITIVE_INFINITY }
  const run = (options: object = inPairs) => backfill(stand.pool, [indexTerms as Backfill], options)
  const found = async (tenant: Tenant, query: string): Promise<string[]> => {
    const request = { query, mode: 'keyword', limit: 50 }
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, request)
    return body.data.map((hit: { content: string }) => hit.content.trim()).sort()
  }
  const termsOf = async ({ organizationId }: Tenant) => {
    const { rows } = await sql`
      select document_id, chunk_index, length, terms::text from chunk_terms where organization_id = ${organizationId}
      union all
      select id, null, null, title_terms::text from documents where organization_id = ${organizationId}
      order by 1, 2`.execute(stand.db)
    return rows
  }
  /** As the release before wrote it. */
  async function forgetTerms({ organizationId }: Tenant) {
    await sql`delete from chunk_terms where organization_id = ${organizationId}`.execute(stand.db)
    await sql`update documents set title_terms = null where organization_id = ${organizationId}`.execute(stand.db)
  }
  async function upload(tenant: Tenant, chunks: object[]): Promise<string> {
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Workshop' })
    const path = `${tenant.knowledgeBase}/${body.id}`
    const numbered = chunks.map((chunk, chunk_index) => ({ chunk_index, embedding: axis(chunk_index), ...chunk }))
    expect((await tenant.call('POST', `${path}/chunks`, { chunks: numbered })).status).toBe(201)
    await tenant.call('PATCH', path, { status: 'completed' })
    return body.id
  }

  test('makes what an ingest makes, in batches, of documents large and small; what is new already stays', async () => {
    const tenant = await stand.tenant()
    await upload(
      tenant,
      Array.from({ length: 5 }, (_, i) => ({ content: `bicycle ${i}`, ...(i === 3 && { embedding: undefined }) })),
    )
    await tenant.call('POST', tenant.knowledgeBase, { title: 'Hire', content: '# Prices\n\nA lamp is 3.90.' })
    await tenant.call('POST', tenant.knowledgeBase, { title: 'Empty' })
    await stand.deliver()
    const wanted = await termsOf(tenant)
    await forgetTerms(tenant)
    const recent = await tenant.call('POST', tenant.knowledgeBase, { title: 'Recent', content: 'A new lamp.' })
    await stand.deliver()
    expect(await found(tenant, 'lamp')).toEqual(['A new lamp.'])

    const interrupt = new AbortController()
    const pause = () => Promise.resolve(interrupt.abort())
    expect(await run({ ...inPairs, pause, signal: interrupt.signal })).toMatchObject([{ isComplete: false }])
    expect(await run()).toMatchObject([{ name: 'terms', isComplete: true }])
    const rows = (await termsOf(tenant)) as { document_id: string }[]
    expect(rows.filter((row) => row.document_id !== recent.body.id)).toEqual(wanted)
    expect(await found(tenant, 'price')).toEqual(['# Prices\n\nA lamp is 3.90.'])
    expect(await found(tenant, 'workshop')).toHaveLength(4)
    expect(await strayRows(stand.db)).toEqual([])
    expect(await run()).toEqual([{ name: 'terms', converted: 0, isComplete: true }])
  })

  test('takes whatever stands in a client’s metadata', async () => {
    const tenant = await stand.tenant()
    const odd = ['text', 7, null, { a: 1 }, [], [['Nested'], null, 3, 'Repairs']]
    await upload(
      tenant,
      odd.map((headings, i) => ({ content: `bicycle ${i}`, metadata: { headings } })),
    )
    await forgetTerms(tenant)
    expect(await run()).toMatchObject([{ isComplete: true }])
    expect(await found(tenant, 'bicycle')).toHaveLength(odd.length)
    expect(await found(tenant, 'repairs')).toEqual(['bicycle 5'])
  })

  test('finds what an older release wrote after it was complete: chunks without terms, and another title', async () => {
    const tenant = await stand.tenant()
    const edited = await upload(tenant, [{ content: 'red lamp' }, { content: 'red bell' }])
    const renamed = await upload(tenant, [{ content: 'blue bell' }])
    expect(await run()).toMatchObject([{ isComplete: true }])
    await sql`delete from chunk_terms where document_id = ${edited} and chunk_index = 1`.execute(stand.db)
    await sql`update documents set title = 'Skis' where id = ${renamed}`.execute(stand.db)
    expect(await run()).toMatchObject([{ isComplete: true }])
    expect(await found(tenant, 'red')).toEqual(['red bell', 'red lamp'])
    expect(await found(tenant, 'skis')).toEqual(['blue bell'])
    expect(await found(tenant, 'workshop')).toEqual(['red bell', 'red lamp'])
  })
})
