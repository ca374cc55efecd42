import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../infra/local/database/database.ts'
import { Database } from '../../shared/database/database.ts'
import { createScratchDatabase } from '../support/scratch-database.ts'

const { DATABASE_URL: server } = process.env
const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const clean of cleanups.reverse()) await clean()
})

interface Stand {
  process: ChildProcess
  /** All that it printed so far. */
  output(): string
  /** Resolves with the output once it holds the text; rejects when the process ends without it. */
  prints(text: string): Promise<string>
  /** Resolves with the exit code. */
  ends(): Promise<number | null>
}

interface Home {
  DATA_DIR: string
  DATABASE_URL?: string
}

/** A home for a stand, with an embedded database in it unless the stand is to make one itself. */
async function home({ isEmpty = false } = {}): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-'))
  cleanups.push(() => rm(directory, { recursive: true, force: true }))
  if (!server) {
    if (!isEmpty) await (await openDatabase({ dataDir: directory, image: process.env.DATABASE_IMAGE })).close()
    return { DATA_DIR: directory }
  }
  const scratch = await createScratchDatabase(server)
  cleanups.push(scratch.drop)
  return { DATA_DIR: directory, DATABASE_URL: scratch.url }
}

function start(env: Partial<Home> & Record<string, string>): Stand {
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../infra/local/main.ts')], {
    env: { ...inherited, POWERTOOLS_LOG_LEVEL: '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanups.push(async () => child.kill('SIGKILL'))
  let output = ''
  const ended = once(child, 'close')
  const hear = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return {
    process: child,
    output: () => output,
    async prints(text) {
      while (!output.includes(text)) {
        const heard = once(child.stdout, 'data').then(() => true)
        const isAlive = await Promise.race([heard, ended.then(() => output.includes(text))])
        if (!isAlive) throw new Error(`ended without printing ${text}:\n${output}`)
      }
      return output
    },
    ends: async () => (await ended)[0] as number | null,
  }
}

/** The variables that a newcomer sources. */
async function environmentOf({ DATA_DIR }: Home): Promise<Record<string, string>> {
  const lines = (await readFile(join(DATA_DIR, 'env'), 'utf8')).trim().split('\n')
  return Object.fromEntries(lines.map((line) => /^export ([A-Z_]+)=(.+)$/.exec(line)!.slice(1) as [string, string]))
}

test('a first start ingests and searches the samples; Ctrl-C stops it cleanly; a second start keeps the data', async () => {
  const env = await home({ isEmpty: true })
  const first = start({ ...env })
  const shown = await first.prints('Ctrl-C')
  expect(shown).toMatch(/\d+ ms {2}.*PostgreSQL/)
  expect(shown).toMatch(/pending → (processing → )?completed: Owner's handbook, \d+ chunks/)
  expect(shown.match(/^\? /gm)).toHaveLength(3)
  expect(shown).toContain('Sunday')
  const { BASE_URL, API_KEY, AGENT_ID, ORGANIZATION_ID } = await environmentOf(env)
  expect(BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const list = async () => {
    const answer = await fetch(`${BASE_URL}/v1/agents/${AGENT_ID}/knowledge-base?limit=100`, {
      headers: { 'x-api-key': API_KEY! },
    })
    return (await answer.json()) as { data: unknown[] }
  }
  const documents = await list()
  expect(documents.data.length).toBeGreaterThan(5)
  const organization = await fetch(`${BASE_URL}/v1/organization`, { headers: { 'x-api-key': API_KEY! } })
  expect(await organization.json()).toMatchObject({ id: ORGANIZATION_ID })
  first.process.kill('SIGINT')
  expect(await first.ends()).toBe(0)

  const second = start({ ...env, PORT: new URL(BASE_URL!).port })
  expect(await second.prints('Ctrl-C')).not.toContain('posted:')
  expect(await list()).toEqual(documents)
  second.process.kill('SIGTERM')
  expect(await second.ends()).toBe(0)
})

test('a document in work when the process is killed completes after the next start', async () => {
  const env = await home()
  const first = start({ ...env })
  await first.prints('Ctrl-C')
  const { BASE_URL, API_KEY, AGENT_ID } = await environmentOf(env)
  const content = Array.from({ length: 6_000 }, (_, i) => `Item ${i} costs ${i % 97} dollars.`).join(' ')
  const headers = { 'x-api-key': API_KEY!, 'content-type': 'application/json' }
  const created = await fetch(`${BASE_URL}/v1/agents/${AGENT_ID}/knowledge-base`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Long', content }),
  })
  expect(created.status).toBe(201)
  first.process.kill('SIGKILL')
  await first.ends()

  const path = created.headers.get('location')!
  const database = await openDatabase(env.DATABASE_URL ? { url: env.DATABASE_URL } : { dataDir: env.DATA_DIR })
  const db = new Database({ url: () => database.url, endpoint: database.endpoint, timeoutSeconds: 15 })
  await sql`update documents set lease_expires_at = now() where lease_token is not null`.execute(db)
  await sql`update documents set resend_at = resend_at - interval '1 hour'`.execute(db)
  await database.close()

  const second = start({ ...env })
  await second.prints('Serving')
  const { BASE_URL: next } = await environmentOf(env)
  await expect
    .poll(async () => ((await (await fetch(`${next}${path}`, { headers })).json()) as { status: string }).status, {
      timeout: 100_000,
    })
    .toBe('completed')
  second.process.kill('SIGINT')
  expect(await second.ends()).toBe(0)
})

test.skipIf(!server)(
  'a restart of the server is a 503 to who is waiting, and then 200 again (the embedded database is no server)',
  async () => {
    const env = await home()
    const stand = start({ ...env })
    await stand.prints('Ctrl-C')
    const { BASE_URL, API_KEY, AGENT_ID } = await environmentOf(env)
    const list = async () => {
      const url = `${BASE_URL}/v1/agents/${AGENT_ID}/knowledge-base`
      return (await fetch(url, { headers: { 'x-api-key': API_KEY! } })).status
    }
    expect(await list()).toBe(200)

    const operator = new Client({ connectionString: env.DATABASE_URL! })
    await operator.connect()
    cleanups.push(() => operator.end())
    const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    await operator.query('begin; lock table documents')
    const waiting = Promise.all([list(), list()])
    const blocked = async () => (await operator.query(`select ${others} and wait_event_type = 'Lock'`)).rowCount
    await expect.poll(blocked, { timeout: 20_000 }).toBe(2)
    await operator.query(`select pg_terminate_backend(pid) ${others}`)
    expect(await waiting).toEqual([503, 503])
    await operator.query('rollback')
    await expect.poll(list, { timeout: 20_000 }).toBe(200)

    await operator.query(`select pg_terminate_backend(pid) ${others}`)
    await expect.poll(list, { timeout: 20_000 }).toBe(200)
    stand.process.kill('SIGINT')
    expect(await stand.ends()).toBe(0)
  },
)

test('a port in use, a data directory in use and an unusable DATABASE_URL are each reported in one line, with exit code 1', async () => {
  const env = await home()
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  cleanups.push(async () => taken.close())
  const port = String((taken.address() as { port: number }).port)
  const lastLine = (stand: Stand) => stand.output().trim().split('\n').at(-1)

  const onTakenPort = start({ ...env, PORT: port })
  expect(await onTakenPort.ends()).toBe(1)
  expect(lastLine(onTakenPort)).toBe(`Could not start Cuecard: port ${port} is in use: set PORT to another`)

  const running = start({ ...env })
  await running.prints('Serving')
  const beside = start({ ...env })
  expect(await beside.ends()).toBe(1)
  expect(lastLine(beside)).toMatch(
    /^Could not start Cuecard: .* is in use by process \d+: stop it, or set DATA_DIR to another directory$/,
  )
  running.process.kill('SIGINT')
  expect(await running.ends()).toBe(0)

  for (const url of ['postgres://nobody@127.0.0.1:1/none', 'no url at all']) {
    const astray = start({ ...(await home()), DATABASE_URL: url })
    expect(await astray.ends()).toBe(1)
    expect(lastLine(astray)).toMatch(/^Could not start Cuecard: .*DATABASE_URL/)
  }
})
