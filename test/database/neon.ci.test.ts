import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalDatabase, openDatabase } from '../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'
import { Database } from '../../shared/database/database.ts'
import type { Size } from '../../shared/limits/leaky-bucket.ts'
import { listen } from '../support/http/loopback.ts'
import { type Ask, askerOf, facts } from './proxy-facts.ts'

/*
 * What Cuecard relies on in Neon's proxy, read in neondatabase/neon at 6a35a3e. The same tests run against the stand-in, on the embedded
 * database and on the server of DATABASE_URL, and against Neon itself: NEON_URL names an endpoint's direct host and its owner. Production
 * may run with other flags than their defaults, so the limits of the pool and of the rate are only tested where the test is alone.
 */

interface Target {
  ask: Ask
  url: string
  /** Sessions beside the proxy. */
  database?: LocalDatabase
  close?: () => Promise<unknown>
}

const { DATABASE_URL, NEON_URL, DATABASE_IMAGE: image } = process.env

async function standIn(server?: string, rate?: Size): Promise<Target> {
  const scratch = server ? await createScratchDatabase(server) : undefined
  const database = await openDatabase({ url: scratch?.url, image: server ? undefined : image, rate })
  const close = async () => {
    await database.close()
    await scratch?.drop()
  }
  return { ask: askerOf(database.url, database.endpoint), url: database.url, database, close }
}

const targets: Record<string, () => Promise<Target>> = {
  'the stand-in on PGlite': () => standIn(),
  ...(DATABASE_URL && { 'the stand-in on a server': () => standIn(DATABASE_URL) }),
  ...(NEON_URL && { Neon: async () => ({ ask: askerOf(NEON_URL), url: NEON_URL }) }),
}

describe.each(Object.entries(targets))('on %s', (name, open) => {
  const hasSessions = name !== 'the stand-in on PGlite'
  let target: Target
  let ask: Ask
  const one = (query: string, params: unknown[] = []) => ask({ body: { query, params } })
  const batch = (...queries: string[]) => ask({ body: { queries: queries.map((query) => ({ query })) } })
  const answerTo = async (query: string) => (await one(query)).body.rows[0][0]
  const backend = () => answerTo('select pg_backend_pid()')

  beforeAll(async () => {
    target = await open()
    ask = target.ask
  })
  afterAll(() => target.close?.())

  test.each(facts)('%s (%s)', async (_, __, question, holds) => {
    expect(await ask(question)).toSatisfy(holds)
  })

  test('a wrong password is refused even with an open session, and the next request succeeds', async () => {
    const as = (url: URL) => Object.assign(url, { password: 'wrong' })
    for (const wanted of [200, 400, 200]) {
      const { status } = await ask({ body: { query: 'select 1' }, ...(wanted === 400 && { as }) })
      expect(status).toBe(wanted)
    }
  })

  test('settings of a session are reset before the next request (client.rs, reset_session_background)', async () => {
    await one(`select set_config('cuecard.fact', 'kept', false)`)
    expect(await answerTo(`select current_setting('cuecard.fact', true)`)).not.toBe('kept')
  })

  test('a batch obeys and repeats its three headers (sql_over_http.rs, HttpHeaders)', async () => {
    const headers = {
      'neon-batch-isolation-level': 'Serializable',
      'neon-batch-read-only': 'true',
      'neon-batch-deferrable': 'true',
    }
    const queries = ['isolation', 'read_only', 'deferrable'].map((name) => ({ query: `show transaction_${name}` }))
    const answer = await ask({ body: { queries }, headers })
    expect(answer.body.results.map(({ rows }: { rows: string[][] }) => rows[0]![0])).toEqual([
      'serializable',
      'on',
      'on',
    ])
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value)
  })

  test('a batch is a transaction: the error of one statement undoes all, and its session is kept', async () => {
    const table = `fact_${crypto.randomUUID().replaceAll('-', '')}`
    const before = await backend()
    expect(await batch(`create table ${table} ()`, 'select 1 / 0')).toMatchObject({
      status: 400,
      body: { code: '22012' },
    })
    expect(await answerTo(`select to_regclass('${table}')`)).toBe(null)
    if (hasSessions) expect(await backend()).toBe(before)
  })

  test('creating a table reports no row count, inserting rows does', async () => {
    const { body } = await batch(
      'create temp table counted (id int) on commit drop',
      'insert into counted select generate_series(1, 3)',
    )
    expect(body.results).toMatchObject([
      { command: 'CREATE', rowCount: null, rows: [], fields: [] },
      { command: 'INSERT', rowCount: 3, rows: [], fields: [] },
    ])
  })

  test.runIf(hasSessions)(
    'a single statement that fails costs its session (sql_over_http.rs, QueryData::process)',
    async () => {
      const before = await backend()
      await one('select 1 / 0')
      expect(await backend()).not.toBe(before)
    },
  )

  test.runIf(hasSessions)('a request that is closed is cancelled, alone and in a batch', async () => {
    for (const wrap of [(query: string) => ({ query }), (query: string) => ({ queries: [{ query }] })]) {
      const mark = crypto.randomUUID()
      const running = async () =>
        await answerTo(
          `select count(*) from pg_stat_activity where state = 'active' and query like '%sleep(60)%${mark}%' and pid <> pg_backend_pid()`,
        )
      const gone = new AbortController()
      const asked = ask({ body: wrap(`select pg_sleep(60) /* ${mark} */`), signal: gone.signal })
      await expect.poll(running).toBe('1')
      gone.abort()
      await expect(asked).rejects.toThrow()
      await expect.poll(running).toBe('0')
    }
  })

  test.runIf(hasSessions)('settings of alter role apply, and end a statement', async () => {
    const [login, password] = [`fact_${crypto.randomUUID()}`, 'A-g00d-password-of-the-test']
    await batch(
      `create role "${login}" login password '${password}'`,
      `alter role "${login}" set statement_timeout = '200ms'`,
    )
    try {
      const as = (url: URL) => void Object.assign(url, { username: login, password })
      expect((await ask({ body: { query: 'select pg_sleep(60)' }, as })).body.code).toBe('57014')
      await one(`alter role "${login}" nologin`)
      const refused = await ask({ body: { query: 'select 1' }, as })
      expect(refused).toMatchObject({ status: 500, body: { code: '28000' } })
    } finally {
      await one(`drop role "${login}"`)
    }
  })

  test('a database that does not exist and a user without a password are each a 400', async () => {
    const elsewhere = await ask({
      body: { query: 'select 1' },
      as: (url) => Object.assign(url, { pathname: 'no_such_database' }),
    })
    if (hasSessions) expect(elsewhere).toMatchObject({ status: 400, body: { code: '3D000' } })
    const open = await ask({ body: { query: 'select 1' }, as: (url) => Object.assign(url, { password: '' }) })
    expect(open).toMatchObject({
      status: 400,
      body: { message: 'missing authentication credentials: required password' },
    })
  })
})

describe('on a stand-in of its own', () => {
  let target: Target
  beforeAll(async () => {
    target = await standIn(DATABASE_URL)
  })
  afterAll(() => target.close?.())

  test('a statement is two round trips, a batch of n is 2 n + 2, an unknown type is looked up once a session', async () => {
    const { traffic, pool } = target.database!
    await pool.query('create extension if not exists vector')
    const tripsOf = async (body: object) => {
      const before = traffic.roundTrips
      await target.ask({ body })
      return traffic.roundTrips - before
    }
    expect(await tripsOf({ query: 'select 1' })).toBe(2)
    expect(await tripsOf({ queries: [{ query: 'select 1' }, { query: 'select 2' }, { query: 'select 3' }] })).toBe(8)
    const vector = { query: `select '[1]'::vector` }
    expect([await tripsOf(vector), await tripsOf(vector)]).toEqual([5, 2])
    expect(await tripsOf({ query: `select '[1]'::vector::text` })).toBe(2)
  })

  test('above the rate, a request gets 500 “Too many connections to this endpoint” (leaky_bucket.rs)', async () => {
    const { ask, close } = await standIn(undefined, { perSecond: 0.001, burst: 5 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask({ body: { query: 'select 1' } })))
    await close!()
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(200), ...Array(3).fill(500)])
    const refusal = answers.find(({ status }) => status === 500)!.body
    expect(refusal).toMatchObject({
      message: 'Too many connections to this endpoint. Please try again later.',
      code: '',
    })
  })

  test.runIf(DATABASE_URL)(
    '20 sessions of all logins stay open, the newest first, and each further request has one of its own (conn_pool_lib.rs)',
    async () => {
      const { pool } = target.database!
      const countOf = async (condition: string) => {
        const { rows } = await pool.query(`select count(*) from pg_stat_activity
        where datname = current_database() and ${condition} and pid <> pg_backend_pid()`)
        return rows[0].count
      }
      const holder = await pool.connect()
      await holder.query('select pg_advisory_lock(20)')
      const body = { query: 'select pg_advisory_xact_lock_shared(20)::text' }
      const asked = Array.from({ length: 30 }, () => target.ask({ body }))
      await expect.poll(() => countOf(`wait_event = 'advisory'`), { timeout: 10_000 }).toBe('30')
      await holder.query('select pg_advisory_unlock(20)')
      holder.release()
      await Promise.all(asked)
      const idle = () => countOf(`query like '%discard sequences%'`)
      await expect.poll(idle).toBe('20')
    },
  )
})

describe('a statement that may be repeated, when the proxy answers', () => {
  const refusals: [status: number, message: string, asked: number, thrown: RegExp][] = [
    [413, 'request is too large (max is 10485760 bytes)', 1, /^This exceeds the 10 MiB/],
    [507, 'response is too large (max is 10485760 bytes)', 1, /^This exceeds the 10 MiB/],
    [500, 'Too many connections to this endpoint. Please try again later.', 3, /^database is unavailable$/],
    [500, 'could not connect to compute', 2, /^database is unavailable$/],
  ]

  test.each(refusals)('%i “%s”, is asked %i times', async (status, message, expected, thrown) => {
    let asked = 0
    const { origin, close } = await listen((_, response) => {
      asked++
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
    })
    const url = () => 'postgres://user:password@localhost/db'
    const db = new Database({ url, endpoint: origin, timeoutSeconds: 5, isRepeatable: true })
    await expect(sql`select 1`.execute(db)).rejects.toThrow(thrown)
    expect(asked).toBe(expected)
    await close()
  })
})
