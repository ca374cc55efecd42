import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PGlite } from '@electric-sql/pglite'
import { type NeonDbError, type NeonQueryFunction, neon, neonConfig } from '@neondatabase/serverless'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { lockDirectory } from '../../infra/data-directory/lock.ts'
import { type LocalDatabase, openDatabase } from '../../infra/local/database/database.ts'
import { type Health, pgliteWire } from '../../infra/local/database/pglite-wire.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'

neonConfig.fetchEndpoint = (host, port) => `http://${host}:${port}/sql`

const backends = { PGlite: undefined, ...(process.env.DATABASE_URL && { 'a native server': process.env.DATABASE_URL }) }

describe.each(Object.entries(backends))('the Neon driver on %s', (_, serverUrl) => {
  let database: LocalDatabase
  let drop: (() => Promise<void>) | undefined
  let sql: NeonQueryFunction<false, false>
  const role = `reader_${crypto.randomUUID()}`

  beforeAll(async () => {
    const scratch = serverUrl === undefined ? undefined : await createScratchDatabase(serverUrl)
    drop = scratch?.drop
    database = await openDatabase(scratch ? { url: scratch.url } : { image: process.env.DATABASE_IMAGE })
    sql = neon(database.url)
    await sql.transaction([
      sql`create table notes (id int primary key, body text not null)`,
      sql.query(`create role "${role}" login password 'of-the-reader'`),
      sql.query(`grant select on notes to "${role}"`),
      sql`insert into notes values (1, 'first')`,
    ])
  })
  afterAll(async () => {
    await sql.transaction([sql.query(`drop owned by "${role}"`), sql.query(`drop role "${role}"`)])
    await database.close()
    await drop?.()
  })

  test('parameters arrive as they were sent, and rows have parsed values', async () => {
    const text = '\ufeffünï "quoted" \\ {brace} 🐣'
    const values = {
      text,
      json: { text, k: [1] },
      bytes: Buffer.from([1, 0, 255]),
      null: null,
      bool: false,
      float8: 1e-300,
      int4: 1,
      int8: '9007199254740993',
      timestamptz: new Date('2020-02-02T02:02:02Z'),
    }
    const types = 'text jsonb bytea int bool float8 int4 int8 timestamptz'.split(' ')
    const columns = Object.keys(values).map((name, i) => `$${i + 1}::${types[i]} as "${name}"`)
    const list = [text, null, '']
    const query = `select ${columns.join(', ')}, $10::text[] as list, '{1,2}'::int[] as ints`
    expect(await sql.query(query, [...Object.values(values), list])).toEqual([{ ...values, list, ints: [1, 2] }])
  })

  test('an error of Postgres keeps its code, constraint, table and detail', async () => {
    await expect(sql`insert into notes values (1, 'again')`).rejects.toMatchObject({
      name: 'NeonDbError',
      code: '23505',
      severity: 'ERROR',
      schema: 'public',
      table: 'notes',
      constraint: 'notes_pkey',
      detail: 'Key (id)=(1) already exists.',
      message: 'duplicate key value violates unique constraint "notes_pkey"',
    })
    await expect(sql.query('selec 1')).rejects.toMatchObject({ code: '42601', position: '1' })
    await expect(sql.query('select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' })
  })

  test('a deferred constraint that fails at the commit is an error, and a batch that fails changes nothing', async () => {
    const batch = sql.transaction([
      sql`create table parents (id int primary key)`,
      sql`create table children (parent int references parents deferrable initially deferred)`,
      sql`insert into children values (1)`,
    ])
    await expect(batch).rejects.toMatchObject({ code: '23503' })
    expect(await sql`select to_regclass('children') as name`).toEqual([{ name: null }])
  })

  test('an open transaction is rolled back', async () => {
    await sql.query('begin')
    await Promise.all(Array.from({ length: 8 }, () => sql`select 1`))
    await sql`insert into notes values (52, 'kept')`
    expect(await sql`delete from notes where id = 52 returning body`).toEqual([{ body: 'kept' }])
  })

  test('statements run as the user of the connection string', async () => {
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'of-the-reader' })
    const reader = neon(url.href)
    const mine = await reader`select current_user as name, body from notes where id = 1`
    expect(mine).toEqual([{ name: role, body: 'first' }])
    const refused = { code: '42501' }
    await expect(reader`insert into notes values (53, '')`).rejects.toMatchObject(refused)
    await expect(reader.transaction([reader`select 1`, reader`delete from notes`])).rejects.toMatchObject(refused)
    expect((await sql`select current_user as name`)[0]).not.toEqual({ name: role })
  })

  test('a caller that disconnects blocks nothing', async () => {
    const callers = Array.from({ length: 60 }, (_, n) => {
      const hangUp = new AbortController()
      const fetchOptions = { signal: hangUp.signal }
      const call = sql.transaction([sql`insert into notes values (${1000 + n}, '')`, sql`select 1`], { fetchOptions })
      queueMicrotask(() => setImmediate(() => hangUp.abort()))
      return call.catch((error: NeonDbError) => error)
    })
    await Promise.all(callers)
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    const { length } = await sql`delete from notes where id >= 1000 returning id`
    expect(length).toBeLessThanOrEqual(60)
  })

  test.each([
    ['no JSON', '{', {}, /^could not parse the HTTP request body: /],
    ['no statement', '{"params":[]}', {}, /^could not parse the HTTP request body: /],
    ['parameters that are no list', '{"query":"select 1","params":{}}', {}, /^could not parse the HTTP request body: /],
    ['no connection string', '{"query":"select 1"}', { 'neon-connection-string': '' }, /^invalid connection string$/],
  ])('%s is a malformed request', async (_, body, headers, message) => {
    const sent = { 'neon-connection-string': database.url, ...headers }
    const response = await fetch(`${database.endpoint}/sql`, { method: 'POST', body, headers: sent })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: expect.stringMatching(message), code: '' })
  })
})

test('after a panic the embedded database is no longer used, because it would acknowledge unwritten data', async () => {
  const asked: unknown[] = []
  const panicking = {
    execProtocolRawStream: (message: unknown, { onRawData }: { onRawData: (bytes: Uint8Array) => void }) => {
      asked.push(message)
      onRawData(Buffer.from('E\0\0\0\0SPANIC\0VPANIC\0C53100\0MNo space left on device\0\0'))
      return Promise.resolve()
    },
  } as unknown as PGlite
  const panics: string[] = []
  const health: Health = { onPanic: ({ message }) => panics.push(message) }
  for (let i = 0; i < 2; i++) {
    const wire = pgliteWire(panicking, health)
    const failed = once(wire, 'error')
    wire.write('a statement')
    await expect(failed).resolves.toEqual([new Error('No space left on device')])
  }
  expect(panics).toEqual(['No space left on device'])
  expect(asked).toHaveLength(1)
})

describe('a data directory', () => {
  const image = process.env.DATABASE_IMAGE
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'cuecard-'))
  })
  afterAll(() => rm(dataDir, { recursive: true }))

  test('keeps its data, belongs to one stand at a time, and is released by a dead process', async () => {
    const first = await openDatabase({ dataDir, image })
    await neon(first.url)`create table kept as select 'still here' as word`
    await expect(openDatabase({ dataDir })).rejects.toThrow(`${dataDir} is in use by process ${process.pid}`)
    const lock = await readFile(join(dataDir, 'lock'), 'utf8')
    await first.close()

    await writeFile(join(dataDir, 'lock'), lock.replace(/ .*/, ' 1'))
    const second = await openDatabase({ dataDir })
    expect(await neon(second.url)`select word from kept`).toEqual([{ word: 'still here' }])
    await second.close()
  })

  test('is released by a process that has ended and waits for its parent', {
    skip: process.platform !== 'linux',
  }, async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'])
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const stat = `/proc/${line.toString().trim()}/stat`
    await vi.waitUntil(async () => (await readFile(stat, 'utf8')).includes(') Z '), 30_000)
    const start = (await readFile(stat, 'utf8')).split(') ')[1]?.split(' ')[19]
    await mkdir(join(dataDir, 'zombie'))
    await writeFile(join(dataDir, 'zombie', 'lock'), `${line.toString().trim()} ${start}\n`)
    await (await lockDirectory(join(dataDir, 'zombie')))()
    parent.kill('SIGKILL')
  })

  test('that was left incomplete is created anew', async () => {
    await mkdir(join(dataDir, 'half', 'postgres'), { recursive: true })
    await writeFile(join(dataDir, 'half', 'postgres', 'PG_VERSION'), '18\n')
    const database = await openDatabase({ dataDir: join(dataDir, 'half'), image })
    expect(await neon(database.url)`select 1 as one`).toEqual([{ one: 1 }])
    await database.close()
  })

  test('outlives the killing of its process with all that was acknowledged', async () => {
    const directory = join(dataDir, 'killed')
    const child = spawn(process.execPath, [
      join(import.meta.dirname, '../support/database/local-database-writer.ts'),
      directory,
    ])
    const exit = once(child, 'exit')
    let acknowledged = 0
    for await (const line of createInterface(child.stdout)) {
      acknowledged = Number(line)
      if (acknowledged === 20) child.kill('SIGKILL')
    }
    await exit
    const database = await openDatabase({ dataDir: directory })
    const [row] = await neon(database.url)`select count(*)::int as count from written where id <= ${acknowledged}`
    expect(row).toEqual({ count: acknowledged })
    expect(acknowledged).toBeGreaterThanOrEqual(20)
    await database.close()
  })
})
