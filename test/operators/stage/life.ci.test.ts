import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { migrationNames } from '../../../infra/migrations/migrate.ts'
import { databaseUsers, lambdaNames } from '../../../infra/wiring.ts'
import { deployLambdas, useStageOf } from '../../support/aws/stage.ts'
import { useGateway } from '../../support/stand/gateway.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)
const stage = useStageOf(stand)

beforeEach(async () => {
  await stage.clear()
  stage.stayOnProxy()
  stage.onDeploy(async () => {
    await deployLambdas(stage, stand, gateway.origin)
    stage.aws.stacks.get('cuecard-prod')!.outputs = { baseurl: gateway.origin }
    for (const name of lambdaNames) stage.aws.versions.set(`cuecard-prod-${name}`, '7')
  })
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
})

describe('deploy', () => {
  test('checks, deploys, and makes the canary’s journey over the address of the stack', async () => {
    const { code, stdout, stderr } = await stage.run(['deploy', 'prod'])
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/A document was found .* and deleted/),
    })
    expect(stdout).toContain(gateway.origin)
  })

  test('does nothing if a check fails', async () => {
    stage.aws.secrets.delete('cuecard/prod/canary')
    stage.aws.secretKeys.set('cuecard/prod/database-search', '1234abcd')
    const { code, stderr } = await stage.run(['deploy', 'prod'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/error +database-search: is encrypted with 1234abcd/)
    expect(stderr).toMatch(/error +canary: the secret .* is missing or empty: npm run stage -- create prod/)
    expect(stage.aws.stacks.has('cuecard-prod')).toBe(false)
  })

  const own = [...migrationNames, ...databaseUsers]
  const atDatabase = async () => ({ findings: [{ level: 'error', subject: 'database-search', detail: 'no answer' }] })

  test('of an older release runs no code of the newer one, and leaves the migrations as they are', async () => {
    const migrated = [...own.slice(0, 3), '0099_of_the_newer', ...own.slice(3)].join(' ')
    stage.aws.stacks.set('cuecard-prod', { status: 'UPDATE_COMPLETE', outputs: { migrated } })
    let invoked = 0
    let given: readonly string[] = []
    stage.aws.lambdas.set('cuecard-prod-migrate', async () => ++invoked)
    stage.onDeploy((args) => {
      given = args
      stage.aws.lambdas.set('cuecard-prod-canary:live', async () => ({ milliseconds: {} }))
    })
    const { code, stderr, stdout } = await stage.run(['deploy', 'prod', '--at-once'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect([invoked, given]).toEqual([0, expect.arrayContaining([`migrated=${migrated}`])])
    expect(stdout).not.toContain('0099_of_the_newer')
  })

  test('keeps the names that it drops, so that the release before it finds its own', async () => {
    stage.aws.stacks.set('cuecard-prod', {
      status: 'UPDATE_COMPLETE',
      outputs: { migrated: ['0009_dropped', ...own.slice(1)].join(' ') },
    })
    let given: readonly string[] = []
    stage.aws.lambdas.set('cuecard-prod-migrate', async () => ({ findings: [] }))
    stage.onDeploy((args) => {
      given = args
      stage.aws.lambdas.set('cuecard-prod-canary:live', async () => ({ milliseconds: {} }))
    })
    expect(await stage.run(['deploy', 'prod'])).toMatchObject({ code: 0 })
    expect(given).toContain(`migrated=${['0009_dropped', ...own.slice(1), own[0]].join(' ')}`)
  })

  test('only warns of a database that does not answer, if there is nothing to migrate', async () => {
    stage.aws.stacks.set('cuecard-prod', { status: 'UPDATE_COMPLETE', outputs: { migrated: own.join(' ') } })
    stage.aws.lambdas.set('cuecard-prod-migrate', atDatabase)
    stage.onDeploy(() => stage.aws.lambdas.set('cuecard-prod-canary:live', async () => ({ milliseconds: {} })))
    const { code, stderr } = await stage.run(['deploy', 'prod'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning +database-search: no/m) })
  })

  test('is refused by a database that does not answer, if there is something to migrate', async () => {
    stage.aws.stacks.set('cuecard-prod', { status: 'UPDATE_COMPLETE', outputs: { migrated: own.slice(1).join(' ') } })
    stage.aws.lambdas.set('cuecard-prod-migrate', atDatabase)
    for (const args of [[], ['--at-once']]) {
      const { code, stderr } = await stage.run(['deploy', 'prod', ...args])
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error +database-search: no/m) })
    }
  })

  test('takes the protection off a first deploy that was rolled back, so that CDK makes it again', async () => {
    stage.aws.stacks.set('cuecard-prod', { status: 'ROLLBACK_COMPLETE', isProtected: true })
    let wasProtected: boolean | undefined = true
    stage.aws.beforeWrite = (action) => {
      if (action === 'cdk cuecard-prod') wasProtected = stage.aws.stacks.get('cuecard-prod')?.isProtected
    }
    expect(await stage.run(['deploy', 'prod'])).toMatchObject({ code: 0 })
    expect(wasProtected).toBe(false)
  })

  test('says what to do after a first deploy that fails', async () => {
    stage.onDeploy(() => {
      stage.aws.stacks.set('cuecard-prod', { status: 'ROLLBACK_COMPLETE', isProtected: true })
      throw new Error('cdk ended with 1')
    })
    const { code, stderr } = await stage.run(['deploy', 'prod'])
    expect({ code, last: stderr.trim().split('\n').at(-1) }).toEqual({
      code: 1,
      last: 'error: cdk ended with 1. The first deploy was rolled back. Remove the cause, then run npm run stage -- deploy prod again',
    })
  })

  test.each([
    ['UPDATE_ROLLBACK_FAILED', /aws cloudformation continue-update-rollback --stack-name cuecard-prod/],
    ['UPDATE_IN_PROGRESS', /another change of cuecard-prod is in progress/],
  ])('leaves a stack alone that is %s', async (status, sentence) => {
    stage.aws.stacks.set('cuecard-prod', { status })
    const { code, stderr } = await stage.run(['deploy', 'prod'])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
  })
})

test.each(['deploy', 'status', 'rotate'])('%s of a stage that create has not made says so', async (command) => {
  const { code, stderr } = await stage.run([command, 'dev'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: dev is not created yet: npm run stage -- create dev\n' })
})

describe('status', () => {
  test('shows a healthy stage, and one with a raised alarm', async () => {
    await stage.run(['deploy', 'prod'])
    const backup = Date.now() - 5 * 3_600_000
    stage.aws.reported.set('BackupsCompleted', [backup - 86_400_000, backup])
    stage.aws.reported.set('CanarySuccess', [Date.now() - 60_000])
    const { code, stdout } = await stage.run(['status', 'prod', '--secrets', '--json'])
    const well = JSON.parse(stdout)
    expect({ code, ...well }).toMatchObject({ code: 0, is_well: true, stack: 'CREATE_COMPLETE', alarms: [] })
    expect(well.last_backup).toBe(new Date(backup).toISOString())
    expect(well.versions).toHaveLength(lambdaNames.length)
    expect(well.documents).toMatchObject({ pending: 0 })
    stage.aws.alarms.push('cuecard-prod-dead-letters', 'cuecard-dev-dead-letters')
    const raised = await stage.run(['status', 'prod'])
    expect(raised).toMatchObject({ code: 1, stdout: expect.stringMatching(/alarms +dead-letters\n/) })
  })
})

describe('destroy', () => {
  test('leaves a protected stage alone', async () => {
    const { code, stderr } = await stage.run(['destroy', 'prod', '--yes-destroy', 'prod'])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('prod is protected') })
    expect(stage.aws.stacks.has('cuecard-prod-secrets')).toBe(true)
  })

  test('deletes files, stacks and logins of another after its name is entered, and continues after an interruption', async () => {
    const Bucket = 'cuecard-dev-files-444455556666-eu-central-1'
    vi.stubEnv('AWS_ENDPOINT_URL_S3', stand.emulator.endpoint)
    const s3 = new S3Client({})
    await s3.send(new CreateBucketCommand({ Bucket }))
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a/b/c', Body: 'file' }))
    await stage.copyFile('dev')
    stage.aws.stacks.set('cuecard-dev', { status: 'CREATE_COMPLETE', outputs: { filesbucket: Bucket } })
    stage.aws.stacks.set('cuecard-dev-secrets', { status: 'CREATE_COMPLETE' })
    stage.aws.secrets.set('cuecard/dev/database-owner', stage.ownerUrl())
    const destroy = ['destroy', 'dev', '--logins']
    expect(await stage.run(destroy)).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes-destroy dev') })
    expect(await stage.run(destroy, { typed: ['prod'] })).toMatchObject({ code: 1 })
    let writes = 0
    stage.proxy.beforeWrite = () => {
      if (++writes > 3) throw new Error('interrupted')
    }
    expect(await stage.run([...destroy, '--yes-destroy', 'dev'])).toMatchObject({ code: 1 })
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0)
    stage.proxy.beforeWrite = () => {}
    expect(await stage.run(destroy, { typed: ['dev'] })).toMatchObject({ code: 0 })
    expect([...stage.aws.stacks.keys()].filter((name) => name.startsWith('cuecard-dev'))).toEqual([])
    const left = await stand.pool.query(`select from pg_roles where rolname ~ '^cuecard_.*_[12]$'`)
    expect(left.rowCount).toBe(0)
  })
})

interface Grant {
  Sid: string
  Action: string[]
  Resource: string[]
  Condition?: object
}

const grantsOf = (file: string): Grant[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../infra/stage', file), 'utf8')).Statement
const deploying = grantsOf('permissions-deploy.json')
const everyday = [...deploying, ...grantsOf('permissions.json')]
const destroying = grantsOf('permissions-destroy.json').filter(({ Sid }) => Sid === 'Destroy')
const onCall = grantsOf('permissions-oncall.json')

/** Actions without a resource, or with one that no pattern can distinguish, by AWS's service authorization reference. */
const ofNoResource = [
  ...['acm:DescribeCertificate', 'cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricStatistics'],
  ...['lambda:GetAccountSettings', 'lambda:ListEventSourceMappings', 'ses:GetAccount', 'ses:GetEmailIdentity'],
]

test('the policies to paste permit exactly the commands’ calls', async () => {
  const listed = (...begins: string[]) =>
    [...everyday, ...destroying]
      .filter(({ Sid }) => begins.some((begin) => Sid.startsWith(begin)))
      .flatMap(({ Action }) => Action)
  const called = () => [...stage.aws.called].filter((action) => action !== 'sts:GetCallerIdentity').toSorted()
  stage.aws.certificate = { Status: 'ISSUED', DomainName: 'api.example.org' }
  await stage.setDomain('api.example.org')
  await stage.run(['create', 'prod', '--yes'])
  expect(called()).toEqual(listed('Create').toSorted())
  stage.aws.stacks.set('cuecard-prod', { status: 'CREATE_COMPLETE', isProtected: true })
  await stage.run(['deploy', 'prod'])
  expect(called()).toEqual(listed('Create', 'Deploy').toSorted())
  await stage.run(['rotate', 'prod', '--yes', '--login', 'search'])
  expect(called()).toEqual(listed('Create', 'Deploy').toSorted())
  await stage.run(['status', 'prod'])
  expect(called()).toEqual(listed('Create', 'Deploy', 'Status').toSorted())
  await stage.run(['pause', 'prod'])
  await stage.copyFile('dev')
  await stage.run(['resume', 'dev'])
  expect(called()).toEqual(listed('Create', 'Deploy', 'Status', 'Pause').toSorted())
  stage.aws.stacks.set('cuecard-prod', { status: 'ROLLBACK_COMPLETE', isProtected: true })
  await stage.run(['deploy', 'prod'])
  stage.aws.stacks.set('cuecard-dev', { status: 'CREATE_COMPLETE' })
  await stage.run(['destroy', 'dev', '--yes-destroy', 'dev'])
  const ofFiles = ['s3:DeleteObject', 's3:ListBucket']
  expect([...called(), ...ofFiles].toSorted()).toEqual(
    listed('Create', 'Deploy', 'Status', 'Pause', 'Destroy').toSorted(),
  )
})

test('the team on call may run status, without a right to a secret', async () => {
  await stage.run(['deploy', 'prod'])
  // The Lambda reads secrets, with its own role.
  stage.aws.lambdas.set('cuecard-prod-migrate', async () => ({ findings: [] }))
  stage.aws.called.clear()
  await stage.run(['status', 'prod'])
  const allowed = onCall.flatMap(({ Action }) => Action)
  expect(allowed).not.toContain('secretsmanager:GetSecretValue')
  // Its own identity needs no right.
  const others = ['sts:GetCallerIdentity', ...allowed]
  expect([...stage.aws.called].filter((action) => !others.includes(action))).toEqual([])
})

test('a deploy reads no secret, and needs no policy but its own', async () => {
  // The Lambda `migrate` reads secrets, with its own role.
  stage.onDeploy(() => stage.aws.lambdas.set('cuecard-prod-canary:live', () => Promise.resolve({ milliseconds: {} })))
  stage.aws.lambdas.set('cuecard-prod-migrate', () => Promise.resolve({ findings: [] }))
  stage.aws.called.clear()
  const { code, stderr } = await stage.run(['deploy', 'prod'])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const allowed = deploying.flatMap(({ Action }) => Action)
  expect(allowed).not.toContain('secretsmanager:GetSecretValue')
  expect([...stage.aws.called].filter((action) => action !== 'sts:GetCallerIdentity')).toEqual(
    expect.arrayContaining(['lambda:InvokeFunction', 'secretsmanager:DescribeSecret']),
  )
  expect([...stage.aws.called].filter((action) => !['sts:GetCallerIdentity', ...allowed].includes(action))).toEqual([])
})

test('the everyday policy deletes nothing, and both reach only one stage', () => {
  const destructive = /:Delete(?!FunctionConcurrency)|UpdateTerminationProtection|s3:/
  expect(everyday.flatMap(({ Action }) => Action).filter((action) => destructive.test(action))).toEqual([])
  for (const { Action, Resource, Condition } of [...everyday, ...destroying])
    for (const pattern of [...Resource, ...(Condition ? [JSON.stringify(Condition)] : [])])
      if (pattern !== '*')
        expect(pattern).toMatch(/cuecard-STAGE[-/]|cuecard\/STAGE\/|Cuecard|stack\/CDKToolkit\/|role\/cdk-hnb659fds-/)
      else if (!Condition) expect(Action.filter((action) => !ofNoResource.includes(action))).toEqual([])
})
