import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readStageFile } from '../../../infra/aws/stage-file.ts'
import { startNeonApi } from '../../support/aws/neon-api.ts'
import { migrateLambdaOf, useStageOf } from '../../support/aws/stage.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)
let neon: Awaited<ReturnType<typeof startNeonApi>>

beforeEach(async () => {
  await stage.clear()
  neon = await startNeonApi()
  neon.project.history_retention_seconds = 604_800
  neon.branch.protected = true
  compute(419)
})
afterEach(() => neon.close())

/** Lets the database say that it is of the project, with so many connections. */
function compute(connections: number) {
  stage.proxy.amend = (results, statements) => {
    const at = statements.findIndex((statement) => statement.includes('neon.project_id'))
    if (at >= 0) results[at]!.splice(0, 1, [`${connections}`, neon.project.id, neon.branch.id])
  }
}

const environment = () => ({ ...stage.answers(), NEON_API_KEY: neon.key, NEON_API_HOST: neon.origin })
const run = (args: string[], env: object = environment()) => stage.run([...args], { env })

describe('create', () => {
  test('is refused by a project that keeps a day of history, or whose branch can be deleted', async () => {
    neon.project.history_retention_seconds = 86_400
    neon.branch.protected = false
    const { code, stderr } = await run(['create', 'prod', '--yes'])
    expect({ code, lines: stderr.split('\n').filter((line) => /history|branch/.test(line)) }).toEqual({
      code: 1,
      lines: [
        'error    history: covers 24 of the 168 hours that a restore may need: infra/README.md sets it',
        `error    branch: ${neon.branch.id} of prod can be deleted: infra/README.md protects it`,
      ],
    })
    expect([stage.aws.secrets.size, readStageFile(stage.directory, 'prod')]).toEqual([0, undefined])
  })

  test('is refused by a compute that admits fewer connections than the stage needs', async () => {
    compute(418)
    const { code, stderr } = await run(['create', 'prod', '--yes'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/OWNER_URL: connections: the compute admits 411, and prod needs 412: give/),
    })
    expect(stage.aws.secrets.size).toBe(0)
  })

  test('warns without a key of Neon, and goes on', async () => {
    expect(await run(['create', 'prod', '--yes'], stage.answers())).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning +history: .* unknown: set NEON_API_KEY/m),
    })
  })
})

describe('status', () => {
  const findingsOf = async (env?: object) => {
    const { stdout } = await run(['status', 'prod', '--json'], env)
    return JSON.parse(stdout).findings as { level: string; subject: string; detail: string }[]
  }

  beforeEach(async () => {
    expect(await run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
    stage.aws.lambdas.set('cuecard-prod-migrate', await migrateLambdaOf(stage))
  })

  test('compares connections, history and protection', async () => {
    const ours = async () =>
      (await findingsOf()).filter(({ subject }) => /^(connections|history|branch)$/.test(subject))
    expect(await ours()).toEqual([
      { level: 'ok', subject: 'connections', detail: 'the compute admits 412, and prod needs 412' },
      { level: 'ok', subject: 'history', detail: 'covers 168 of the 168 hours that a restore may need' },
      { level: 'ok', subject: 'branch', detail: `${neon.branch.id} is protected` },
    ])
    compute(104)
    neon.project.history_retention_seconds = 21_600
    neon.branch.protected = false
    expect((await ours()).map(({ level, subject }) => `${level} ${subject}`)).toEqual([
      'error connections',
      'error history',
      'error branch',
    ])
    neon.key = 'napi_another'
    expect(await findingsOf({ ...environment(), NEON_API_KEY: 'napi_old' })).toContainEqual({
      level: 'error',
      subject: 'history',
      detail: `Neon answers 401 to NEON_API_KEY for /projects/${neon.project.id}`,
    })
  })

  test('reads no secret itself, and says when the database does not answer', async () => {
    const { called } = stage.aws
    called.clear()
    stage.aws.lambdas.set('cuecard-prod-migrate', async () => ({ findings: [] }))
    expect(await run(['status', 'prod'])).toMatchObject({ code: 0 })
    expect(called).not.toContain('secretsmanager:GetSecretValue')
    expect(called).toContain('secretsmanager:DescribeSecret')
    stage.aws.denied.add('lambda:InvokeFunction')
    expect(await findingsOf()).toContainEqual(expect.objectContaining({ level: 'error', subject: 'database' }))
  })
})

test('restore is refused by a branch with a compute that is too small', async () => {
  expect(await run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  compute(104)
  expect(await run(['restore', 'prod', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/OWNER_URL: connections: the compute admits 97, and prod needs 412/),
  })
  expect(stage.aws.reservations.size).toBe(0)
})
