// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of workflows.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { registerHooks } from 'node:module'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

// The package imports JSON as bundlers do, without the attribute that Node.js asks for.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')

const directory = join(import.meta.dirname, '../.github/workflows')
const files = readdirSync(directory)

type Step = { uses?: string; run?: string; with?: Record<string, string> }
interface Job {
  uses?: string
  permissions?: Record<string, string>
  environment?: string
  'timeout-minutes'?: number
  steps?: Step[]
  services?: Record<string, object>
  env?: Record<string, string>
  needs?: string | string[]
  if?: string
}
interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  concurrency?: { group: string; 'cancel-in-progress': boolean }
  jobs: Record<string, Job>
}

const textOf = (name: string) => readFileSync(join(directory, name), 'utf8')
const workflow = (name: string): Workflow => parse(textOf(name))
const stepsOf = (name: string) => Object.values(workflow(name).jobs).flatMap(({ steps = [] }) => steps)

describe.each(files)('%s', (name) => {
  test('is a workflow to GitHub’s own parser', async () => {
    const { context, value } = parseWorkflow({ name, content: textOf(name) }, new NoOperationTraceWriter())
    if (value) await convertWorkflowTemplate(context, value)
    expect(context.errors.getErrors().map(String)).toEqual([])
  })

  test('uses actions at a commit, with the version beside it, the same everywhere', () => {
    const lines = files.flatMap((file) => textOf(file).match(/uses: [^.].*/g) ?? [])
    const pins = new Map<string, string>()
    for (const line of lines) {
      const [, action, commit] = /^uses: ([\w/-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/.exec(line) ?? []
      expect(commit, line).toBeDefined()
      expect(pins.get(action!) ?? commit, line).toBe(commit)
      pins.set(action!, commit!)
    }
  })

  test('gives jobs no permission by default, and none to write but an OIDC token and the issue of advisories', () => {
    const { permissions, jobs } = workflow(name)
    expect(permissions).toEqual({})
    for (const [id, { permissions: own, steps = [], environment, uses }] of Object.entries(jobs)) {
      const isOfAws = steps.some((step) => step.uses?.startsWith('aws-actions/'))
      const more = isOfAws || uses ? { 'id-token': 'write' } : id === 'advisories' ? { issues: 'write' } : {}
      expect(own, id).toEqual({ contents: 'read', ...more })
      if (isOfAws) expect(environment, id).toBeDefined()
    }
  })

  test('keeps no token in the checkout, and no text of others in a script', () => {
    for (const { uses, run, with: inputs } of stepsOf(name)) {
      if (uses?.startsWith('actions/checkout@')) expect(inputs).toMatchObject({ 'persist-credentials': false })
      expect(run ?? '').not.toContain('${{')
    }
  })
})

test('dev is deployed where its file is in the repository, and only there', () => {
  const { jobs } = workflow('deploy.yml')
  expect(jobs.dev).toMatchObject({ needs: 'stages', if: 'needs.stages.outputs.dev' })
  const { run } = jobs.stages!.steps!.find(({ run }) => run)!
  const outputIn = (stage: string) => {
    const cwd = mkdtempSync(join(tmpdir(), 'checkout-'))
    mkdirSync(join(cwd, 'infra/aws/stages'), { recursive: true })
    writeFileSync(join(cwd, `infra/aws/stages/${stage}.json`), '{}')
    const GITHUB_OUTPUT = join(cwd, 'output')
    const { status } = spawnSync('/bin/bash', ['-e', '-c', run!], { cwd, env: { ...process.env, GITHUB_OUTPUT } })
    return [status, readFileSync(GITHUB_OUTPUT, 'utf8')]
  }
  expect(outputIn('dev')).toEqual([0, 'dev=true\n'])
  expect(outputIn('prod')).toEqual([0, ''])
})

test('prod is deployed after dev has passed its check from outside or is none, and no deploy is cut off', () => {
  const { jobs, concurrency } = workflow('deploy.yml')
  expect(jobs.prod!.needs).toContain('dev')
  expect(jobs.prod!.if).toBe('${{ !cancelled() && !failure() }}')
  expect(concurrency!['cancel-in-progress']).toBe(false)
  const commands = stepsOf('deploy-stage.yml').map(({ run = '' }) => run)
  const place = (text: string) => commands.findIndex((command) => command.includes(text))
  const order = ['npm run check', 'npm run stage -- deploy "$STAGE"']
  expect(order.map(place)).toEqual(order.map(place).toSorted((a, b) => a - b))
  expect(Math.min(...order.map(place))).toBeGreaterThanOrEqual(0)
})

test('a new advisory opens an issue and stops no deploy', () => {
  expect(files.filter((file) => textOf(file).includes('npm audit'))).toEqual(['nightly.yml'])
  expect(workflow('nightly.yml').jobs.nightly!.steps!.map(({ run }) => run)).not.toContain('npm audit')
})

test.each(['check.yml', 'nightly.yml'])('%s runs on a PostgreSQL server with pgvector', (name) => {
  const [job] = Object.values(workflow(name).jobs)
  expect(job!.services).toMatchObject({ postgres: { image: 'pgvector/pgvector:pg17', ports: ['5432:5432'] } })
  expect(job!.env).toMatchObject({ DATABASE_URL: expect.stringContaining('@127.0.0.1:5432/') })
  const commands = job!.steps!.map(({ run }) => run)
  expect(commands).toContain(name === 'check.yml' ? '.ci/run' : 'npm run test:nightly')
})

test('.ci/postgres prints the server of DATABASE_URL, and fails where there is none and it cannot start one', () => {
  const postgres = (env: Record<string, string>) =>
    spawnSync('/bin/bash', [join(import.meta.dirname, '../.ci/postgres')], { env, encoding: 'utf8' })
  const given = postgres({ PATH: process.env.PATH!, DATABASE_URL: 'postgres://db.example/kb', PG_BIN: '/programs' })
  expect(given).toMatchObject({ status: 0, stdout: 'postgres://db.example/kb\n/programs\n' })
  const bare = mkdtempSync(join(tmpdir(), 'bare-'))
  for (const program of ['dirname', 'id']) symlinkSync(`/usr/bin/${program}`, join(bare, program))
  const without = postgres({ PATH: bare })
  expect(without).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('set DATABASE_URL') })
})

describe('.ci/run as an ordinary user', () => {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  // Debian gives other users no /usr/sbin.
  const usual = '/usr/local/bin:/usr/bin:/bin'
  const isInstalled = ['/usr/sbin', ...usual.split(':')].some((folder) => existsSync(join(folder, 'pgbouncer')))

  /** Runs the script with an npm that only notes its calls. `programs` go before those of the machine. */
  function run(port: number, programs: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'ci-run-'))
    chmodSync(folder, 0o777)
    cpSync(join(import.meta.dirname, '../.ci'), join(folder, '.ci'), { recursive: true })
    const npm = `echo "$@, pooler: \${DATABASE_POOLER:-none}" >>${folder}/calls`
    mkdirSync(join(folder, 'programs'))
    for (const [name, text] of Object.entries({ npm, chromium: '', ...programs }))
      writeFileSync(join(folder, 'programs', name), `#!/bin/bash\n${text}\n`, { mode: 0o755 })
    const { status, stderr } = spawnSync('/bin/bash', [join(folder, '.ci/run')], {
      ...{ ...nobody, encoding: 'utf8' },
      env: {
        PATH: `${folder}/programs:${usual}`,
        PG_BIN: '/usr/bin',
        PGBOUNCER_PORT: `${port}`,
        DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/kb',
      },
    })
    const calls = existsSync(join(folder, 'calls'))
      ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
      : []
    return { status, stderr, calls }
  }

  test.runIf(isInstalled)('goes through PgBouncer, and fails before the tests where its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    expect(run(port)).toMatchObject({ status: 1, stderr: expect.stringContaining('Address already in use'), calls: [] })
    other.close()
    await once(other, 'close')
    const { status, stderr, calls } = run(port)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(calls.at(-1)).toMatch(`, pooler: postgres://ada:secret@127.0.0.1:${port}/kb`)
    // The script has ended its pooler, which takes a moment.
    const stateOf = () =>
      once(connect(port, '127.0.0.1'), 'connect').then(
        () => 'open',
        ({ code }) => code,
      )
    await expect.poll(stateOf, { timeout: 10_000 }).toBe('ECONNREFUSED')
  })

  test('fails before the tests where PgBouncer doesn’t start', () => {
    expect(run(1, { pgbouncer: 'echo FATAL no >&2; exit 1' })).toMatchObject({
      status: 1,
      stderr: 'FATAL no\n',
      calls: [],
    })
  })

  test('is what the check of a pull request does, with the packages that only root could install', () => {
    const { check } = workflow('check.yml').jobs
    expect(check).not.toHaveProperty('container')
    const commands = check!.steps!.map(({ run = '' }) => run)
    expect(commands.at(-1)).toBe('.ci/run')
    expect(commands.join('\n')).toMatch(/sudo apt-get install .*\bpgbouncer\b/)
  })
})

test('the diff of a pull request runs after a review, under a role that reads templates only', () => {
  const { diff } = workflow('check.yml').jobs
  expect(diff!.environment).toBe('diff')
  const commands = diff!.steps!.flatMap(({ run = '' }) => (run.includes('cdk') ? [run] : []))
  // The other methods need CDK's roles, which read or change more.
  expect(commands).toEqual(['npx cdk diff --method=template cuecard-prod-secrets cuecard-prod'])
})

test('the credentials of a deploy outlive it, and belong to the account that the stage is pinned to', () => {
  const { jobs } = workflow('deploy-stage.yml')
  const { with: inputs } = jobs.deploy!.steps!.find(({ uses }) => uses?.startsWith('aws-actions/'))!
  expect(Number(inputs!['role-duration-seconds'])).toBeGreaterThanOrEqual(60 * jobs.deploy!['timeout-minutes']!)
  for (const name of ['backup.yml', 'check.yml', 'deploy-stage.yml'])
    for (const step of stepsOf(name).filter(({ uses }) => uses?.startsWith('aws-actions/')))
      expect(step.with).toMatchObject({
        'role-to-assume': expect.stringMatching(/^\$\{\{ steps\.stage\.outputs\./),
        'allowed-account-ids': '${{ steps.stage.outputs.account }}',
      })
})
