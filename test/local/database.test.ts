import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PGlite } from '@electric-sql/pglite'
import { type NeonDbError, type NeonQueryFunction, neon, neonConfig } from '@neondatabase/serverless'
import { type Kysely, sql as kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type LocalDatabase, openDatabase } from '../../infra/local/database/database.ts'
import { type Health, pgliteWire } from '../../infra/local/database/pglite-wire.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'
import { Database } from '../../shared/database/database.ts'

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
      sql.query(`create role "${role}"`),
      sql.query(`grant select on notes to "${role}"`),
      sql`insert into notes values (1, 'first')`,
    ])
  })
  afterAll(async () => {
    await sql.transaction([sql.query(`drop owned by "${role}"`), sql.query(`drop role "${role}"`)])
    await database.close()
    await drop?.()
  })

  test('a statement over HTTP yields rows with parsed values', async () => {
    const rows = await sql`select 1::int4 as a, true as b, null as c, '{1,2}'::int[] as d, '{"k":[1]}'::jsonb as e,
      9007199254740993::int8 as f, 'x'::text as g, '\\x00ff'::bytea as h, '2020-02-02T02:02:02Z'::timestamptz as i`
    expect(rows).toEqual([
      {
        a: 1,
        b: true,
        c: null,
        d: [1, 2],
        e: { k: [1] },
        f: '9007199254740993',
        g: 'x',
        h: Buffer.from([0, 255]),
        i: new Date('2020-02-02T02:02:02Z'),
      },
    ])
  })

  test('parameters arrive as they were sent', async () => {
    const text = '\ufeffünï "quoted" \\ {brace} 🐣'
    const [row] = await sql.query(
      'select $1::text as a, $2::text[] as b, $3::jsonb as c, $4::bytea as d, $5::int as e, $6::bool as f, $7::float8 as g',
      [text, [text, null, ''], { text }, Buffer.from([1, 0, 255]), null, false, 1e-300],
    )
    expect(row).toEqual({
      a: text,
      b: [text, null, ''],
      c: { text },
      d: Buffer.from([1, 0, 255]),
      e: null,
      f: false,
      g: 1e-300,
    })
  })

  test('the full result names command, count and column types', async () => {
    const result = await neon(database.url, { fullResults: true })`select id, body from notes where id = 1`
    expect(result).toMatchObject({ command: 'SELECT', rowCount: 1, rowAsArray: false, viaNeonFetch: true })
    expect(result.fields).toMatchObject([
      { name: 'id', dataTypeID: 23 },
      { name: 'body', dataTypeID: 25 },
    ])
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

  test('one query holds one statement', async () => {
    await expect(sql.query('select 1; select 2')).rejects.toMatchObject({ code: '42601' })
  })

  test('a batch runs in one transaction', async () => {
    const [[first] = [], [second] = []] = (await sql.transaction([
      sql`select txid_current() as id, set_config('test.name', 'inside', true)`,
      sql`select txid_current() as id, current_setting('test.name') as name`,
    ])) as Record<string, string>[][]
    expect(second).toEqual({ id: first?.id, name: 'inside' })
  })

  test('a batch that fails changes nothing', async () => {
    const batch = sql.transaction([sql`insert into notes values (50, 'lost')`, sql`select 1 / 0`])
    await expect(batch).rejects.toMatchObject({ code: '22012' })
    expect(await sql`select from notes where id = 50`).toEqual([])
  })

  test('a deferred constraint that fails at the commit is an error', async () => {
    const batch = sql.transaction([
      sql`create table parents (id int primary key)`,
      sql`create table children (parent int references parents deferrable initially deferred)`,
      sql`insert into children values (1)`,
    ])
    await expect(batch).rejects.toMatchObject({ code: '23503' })
    expect(await sql`select to_regclass('children') as name`).toEqual([{ name: null }])
  })

  test('session state is gone for the next statement', async () => {
    await sql`select set_config('test.leak', 'leaked', false)`
    await sql.query('begin')
    const rows = await Promise.all(
      Array.from({ length: 8 }, () => sql`select current_setting('test.leak', true) as leak`),
    )
    expect(rows.flat().filter(({ leak }) => leak)).toEqual([])
    await sql`insert into notes values (52, 'kept')`
    expect(await sql`delete from notes where id = 52 returning body`).toEqual([{ body: 'kept' }])
  })

  test('statements run as the user of the connection string', async () => {
    const url = new URL(database.url)
    url.username = role
    const reader = neon(url.href)
    expect(await reader`select current_user as name, body from notes where id = 1`).toEqual([
      { name: role, body: 'first' },
    ])
    await expect(reader`insert into notes values (53, '')`).rejects.toMatchObject({ code: '42501' })
    await expect(reader.transaction([reader`select 1`, reader`delete from notes`])).rejects.toMatchObject({
      code: '42501',
    })
    expect((await sql`select current_user as name`)[0]).not.toEqual({ name: role })
    url.username = 'nobody_at_all'
    await expect(neon(url.href)`select 1`).rejects.toMatchObject({ message: 'role "nobody_at_all" does not exist' })
  })

  test('Kysely reads and writes, and counts what it has changed', async () => {
    const db = new Database({ url: () => database.url, timeoutSeconds: 15 }) as unknown as Kysely<{
      notes: { id: number; body: string }
    }>
    const inserted = await db.insertInto('notes').values({ id: 60, body: 'kysely' }).returningAll().executeTakeFirst()
    expect(inserted).toEqual({ id: 60, body: 'kysely' })
    const { numDeletedRows } = await db.deleteFrom('notes').where('id', '=', 60).executeTakeFirstOrThrow()
    expect(numDeletedRows).toBe(1n)
    expect((await kysely<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })

  test('vectors are stored and compared', async () => {
    await sql`create extension if not exists vector`
    const [row] = await sql`select '[1,0]'::vector(2) as v, '[1,0]'::vector(2) <=> '[0,1]'::vector(2) as distance`
    expect(row).toEqual({ v: '[1,0]', distance: 1 })
  })

  test('a hundred concurrent statements all get a response', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => sql`select ${n}::int as n`))
    expect(answers.flat().map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  test('a body of 100 MB goes through', async () => {
    const [row] = await sql`select length(${'é'.repeat(50_000_000)}::text) as length`
    expect(row).toEqual({ length: 50_000_000 })
  })

  test('a caller that disconnects blocks nothing', async () => {
    const callers = Array.from({ length: 60 }, (_, n) => {
      const hangUp = new AbortController()
      const call = sql.transaction([sql`insert into notes values (${1000 + n}, '')`, sql`select 1`], {
        fetchOptions: { signal: hangUp.signal },
      })
      queueMicrotask(() => setImmediate(() => hangUp.abort()))
      return call.catch((error: NeonDbError) => error)
    })
    await Promise.all(callers)
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    const { length } = await sql`delete from notes where id >= 1000 returning id`
    expect(length).toBeLessThanOrEqual(60)
  })

  test.each([
    ['no JSON', '{', {}],
    ['no statement', '{"params":[]}', {}],
    ['parameters that are no list', '{"query":"select 1","params":{}}', {}],
    ['no connection string', '{"query":"select 1"}', { 'neon-connection-string': '' }],
  ])('%s is a malformed request', async (_, body, headers) => {
    const response = await fetch(`${database.endpoint}/sql`, {
      method: 'POST',
      body,
      headers: { 'neon-connection-string': database.url, ...headers },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ message: expect.stringMatching(/^malformed request: /) })
  })
})

describe('an unusable database is reported in one line', () => {
  const errorFor = (url: string) => openDatabase({ url }).then(String, (error: Error) => error.message)

  test('a port without a listener', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    expect(await errorFor(`postgres://u:secret@127.0.0.1:${port}/kb`)).toBe(
      `cannot use DATABASE_URL: connect ECONNREFUSED 127.0.0.1:${port}`,
    )
  })

  test('a URL that is not postgres://', async () => {
    expect(await errorFor('mysql://secret@localhost/kb')).toBe('DATABASE_URL is not a postgres:// URL')
    expect(await errorFor('postgres://u:se cret@:x/')).toBe('DATABASE_URL is not a postgres:// URL')
  })

  test.runIf(process.env.DATABASE_URL)('a database that does not exist (needs a server)', async () => {
    const url = new URL(process.env.DATABASE_URL ?? '')
    url.pathname = '/nowhere'
    expect(await errorFor(url.href)).toBe('cannot use DATABASE_URL: database "nowhere" does not exist')
  })
})

test.runIf(process.env.DATABASE_URL)(
  'a database that goes away is reported as unreachable (needs a server)',
  async () => {
    const { url, drop } = await createScratchDatabase(process.env.DATABASE_URL ?? '')
    const database = await openDatabase({ url })
    await drop()
    await expect(neon(database.url)`select 1`).rejects.toThrow(/Server error \(HTTP status 503\)/)
    await database.close()
  },
)

test('after a panic the embedded database is asked nothing more: it would acknowledge what it has not written', async () => {
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
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'])
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const stat = `/proc/${line.toString().trim()}/stat`
    await vi.waitUntil(async () => (await readFile(stat, 'utf8')).includes(') Z '))
    const start = (await readFile(stat, 'utf8')).split(') ')[1]?.split(' ')[19]
    await mkdir(join(dataDir, 'zombie'))
    await writeFile(join(dataDir, 'zombie', 'lock'), `${line.toString().trim()} ${start}\n`)
    await (await openDatabase({ dataDir: join(dataDir, 'zombie') })).close()
    parent.kill('SIGKILL')
  })

  test('that was left incomplete is created anew', async () => {
    await mkdir(join(dataDir, 'half', 'postgres'), { recursive: true })
    await writeFile(join(dataDir, 'half', 'postgres', 'PG_VERSION'), '18\n')
    const database = await openDatabase({ dataDir: join(dataDir, 'half') })
    expect(await neon(database.url)`select 1 as one`).toEqual([{ one: 1 }])
    await database.close()
  })

  test('outlives the killing of its process with all that was acknowledged', async () => {
    const directory = join(dataDir, 'killed')
    const child = spawn(process.execPath, [join(import.meta.dirname, '../support/local-database-writer.ts'), directory])
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
