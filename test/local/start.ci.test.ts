import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { lockDirectory } from '../../infra/data-directory/lock.ts'
import { openDatabase } from '../../infra/local/database/database.ts'
import { withClient } from '../../infra/postgres-client.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { environmentOf, type Home, type StandProcess, useStandProcesses } from '../support/stand/stand-process.ts'
import { cuecard } from '../support/tools/command-line.ts'

const root = join(import.meta.dirname, '../..')
const { DATABASE_URL: server } = process.env
const provider = useFakeProvider()
const { home, start, cleanUp } = useStandProcesses()

/** Presses Ctrl-C, or sends another signal. */
async function stop(stand: StandProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  stand.process.kill(signal)
  expect(await stand.ends()).toBe(0)
}

interface Shown {
  id: string
  status: string
}

/** The API of the stand at a home, with the demo key of its environment. */
async function apiOf(env: Home) {
  const { BASE_URL = '', API_KEY = '', AGENT_ID = '', ORGANIZATION_ID } = await environmentOf(env)
  const knowledgeBase = `/v1/agents/${AGENT_ID}/knowledge-base`
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' }
  const call = (method: string, path: string, body?: object) =>
    fetch(BASE_URL + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const documents = async () => {
    const answer = await call('GET', `${knowledgeBase}?limit=100`)
    return ((await answer.json()) as { data: Shown[] }).data
  }
  return { origin: BASE_URL, shown: [AGENT_ID, API_KEY], organization: ORGANIZATION_ID, knowledgeBase, call, documents }
}

/** The blocks of README.md and the guide to chunks that contain the texts, as one script for the stand of `home`. */
async function readmeScript({ DATA_DIR }: Home, ...texts: string[]): Promise<string> {
  const pages = ['README.md', 'functions/reference/guides/11-own-chunks.md'].map((page) =>
    readFile(join(root, page), 'utf8'),
  )
  const blocks = [...(await Promise.all(pages)).join('\n').matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!)
  const chosen = texts.map((text) => blocks.find((block) => block.includes(text))!)
  return ['source .local/env', ...chosen].join('\n').replaceAll('.local/env', join(DATA_DIR, 'env'))
}

async function bash(script: string): Promise<{ code: number; output: string }> {
  const [shell, ...args] = ['bash', '-euo', 'pipefail', '-c', script]
  const child = spawn(shell!, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, output: out + err }
}

test('a first start ingests and searches the samples; Ctrl-C stops it at any time', async () => {
  const interrupted = start({ ...(await home()) })
  await interrupted.prints('Starting')
  await stop(interrupted)
  expect(interrupted.output()).not.toMatch(/Could not|Error|Serving/)

  // The encoder takes longer, and has tests of its own.
  const env = { ...(await home({ isEmpty: true })), EMBEDDING_MODEL: 'lexical' }
  const first = start(env)
  await first.prints('Serving')
  const admin = (...args: string[]) => cuecard(args, { env: { ...env } })
  for (const [of, found] of Object.entries({ organization: 'Pedal & Pine', agent: 'Front desk', key: 'demo' }))
    expect(await admin(of, 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining(found) })
  const shown = await first.prints('Ctrl-C')
  expect(shown).toMatch(/\d+ ms {2}.*PostgreSQL/)
  expect(shown).not.toContain('earlier versions')
  expect(shown).toMatch(/pending → (processing → )?completed: Owner's handbook, \d+ chunks/)
  expect(shown.match(/^\? /gm)).toHaveLength(3)
  expect(shown).toContain('Sunday')
  const { origin, shown: ids, organization, knowledgeBase, call, documents } = await apiOf(env)
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  for (const told of [`${origin}/v1/docs`, ...ids, join(env.DATA_DIR, 'env'), 'built in, lexical'])
    expect(shown).toContain(told)
  const ingested = await documents()
  expect(ingested.length).toBeGreaterThan(5)
  expect(await (await call('GET', '/v1/organization')).json()).toMatchObject({ id: organization })
  for (const { id } of ingested.slice(1)) expect((await call('DELETE', `${knowledgeBase}/${id}`)).status).toBe(204)

  // The commands of README.md work as they stand.
  const ofReadme = await readmeScript(env, 'source .local/env\n\ncurl', 'Where can I park?')
  expect((await bash(ofReadme)).output).toContain('"status":"pending"')
  const uploaded = await bash(await readmeScript(env, 'Rental conditions'))
  expect(uploaded).toMatchObject({ code: 0, output: expect.stringContaining('Bring the bike back by 18:00.') })
  expect(await documents()).toHaveLength(3)
  expect(await admin('organization', 'create', '--name', 'Second')).toMatchObject({ code: 0 })
  const several = expect.stringMatching(/several.*organization list/)
  expect(await admin('agent', 'list')).toMatchObject({ code: 1, stderr: several })
  const made = 'node infra/cuecard.mjs key create --organization "$ORGANIZATION_ID" --name CI --permissions kb:read'
  const ofEnv = await bash(`cd '${root}'\nunset DATABASE_URL\nsource '${join(env.DATA_DIR, 'env')}'\n${made}`)
  expect(ofEnv).toMatchObject({ code: 0, output: expect.stringContaining('cue_') })
  await stop(first)
  expect((await admin('organization', 'list')).stderr).toContain('no local stand is running')
  expect(JSON.parse(await readFile(join(env.DATA_DIR, 'demo.json'), 'utf8'))).toMatchObject({ hasSamples: true })
})

test('documents that wait for the provider when the process is killed continue at the next start', async () => {
  const env = await home()
  const first = start({ ...env, EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1' }, ['--no-samples'])
  const shown = await first.prints('Ctrl-C')
  expect(shown).toContain('text-embedding-3-small at http://127.0.0.1:1/v1')
  expect(await first.prints('Until that')).toMatch(
    /^The embedding provider cannot be reached.*\nUntil that is fixed, new documents wait and cannot be found/m,
  )
  for (const never of ['posted:', '/search']) expect(shown).not.toContain(never)
  const { call, knowledgeBase, documents } = await apiOf(env)
  expect((await call('POST', knowledgeBase, { title: 'Waiting', content: 'A text.' })).status).toBe(201)
  const waiting = { status: 'pending', waiting: { reason: expect.stringContaining('cannot be reached') } }
  await expect.poll(documents).toMatchObject([waiting])
  first.process.kill('SIGKILL')
  await first.ends()
  expect(first.output().match(/cannot be reached/g)).toHaveLength(1)
  expect(first.output()).not.toContain('"level"')
  // Others may use a server: its documents wait for their time.
  if (server)
    await withClient(env.DATABASE_URL!, (client) =>
      client.query('update documents set resend_at = now(), next_attempt_at = now()'),
    )

  const second = start({ ...env, EMBEDDING_BASE_URL: provider.baseUrl })
  await second.prints('Serving')
  const { documents: after } = await apiOf(env)
  await expect.poll(after, { timeout: 100_000 }).toMatchObject([{ status: 'completed' }])
  expect(provider.calls.map(({ authorization }) => authorization)).toContain(undefined)
  expect(await second.prints('Ctrl-C')).not.toContain('posted:')
  await stop(second, 'SIGTERM')
})

test.skipIf(!server)(
  'a restart of the server gives waiting requests a 503, and later ones a 200 (the embedded database is no server)',
  async () => {
    const env = await home()
    const stand = start({ ...env })
    await stand.prints('Ctrl-C')
    const { call, knowledgeBase } = await apiOf(env)
    const list = async () => (await call('GET', knowledgeBase)).status
    expect(await list()).toBe(200)

    const operator = new Client({ connectionString: env.DATABASE_URL! })
    await operator.connect()
    cleanUp(() => operator.end())
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
    await stop(stand)
  },
)

test('a port or a data directory in use, wrong settings and a server out of reach are each reported in one line, with exit code 1', async () => {
  const env = await home({ isEmpty: true })
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  cleanUp(async () => taken.close())
  const port = (taken.address() as { port: number }).port
  const unlock = await lockDirectory(env.DATA_DIR)
  const beside = start({ ...env, PORT: `${port}`, CHUNK_TOKENS: '50' }, ['--frob'])
  expect(await beside.ends()).toBe(1)
  expect(beside.output().trim().split('\n')).toEqual([
    expect.stringMatching(/^Could not start Cuecard: unknown option --frob: see npm start -- --help$/),
    expect.stringMatching(
      /^Could not start Cuecard: CHUNK_OVERLAP_TOKENS must be less than CHUNK_TOKENS, .* 49 or less/,
    ),
    expect.stringMatching(/^Could not start Cuecard: .* is in use by process \d+, .*such as DATA_DIR=/),
    `Could not start Cuecard: port ${port} is in use: start on another, such as PORT=${port + 1} npm start`,
  ])
  await unlock()

  const astray = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none' })
  await expect(astray).rejects.toThrow(/^cannot use DATABASE_URL: .+$/)
})

/** Makes the directory a disk of 4 MB for a command that follows. */
const onSmallDisk = 'unshare --user --map-root-user --mount sh -c \'mount -t tmpfs -o size=4m disk "$0" && exec "$@"\''
const canMount = spawnSync('sh', ['-c', `${onSmallDisk} /mnt true`]).status === 0

test.runIf(canMount)('a start on a full disk says so in one line, with exit code 1 (needs unshare)', async () => {
  const { DATA_DIR } = await home({ isEmpty: true, server: null })
  const main = join(root, 'infra/local/main.ts')
  const env = `DATABASE_URL= DATA_DIR=${DATA_DIR} PORT=0`
  const started = await bash(`${env} ${onSmallDisk} ${DATA_DIR} ${process.execPath} ${main}`)
  const full = /\nCould not start Cuecard: the disk of .* is full: make room on it, and start again\n$/
  expect(started).toEqual({ code: 1, output: expect.stringMatching(full) })
})
