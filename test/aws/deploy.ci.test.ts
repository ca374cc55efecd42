import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BundleName, entryPoints } from '../../infra/aws/bundles/bundle.ts'
import { acknowledgedRules } from '../../infra/aws/rule-checks.ts'
import { secretsFor } from '../../infra/aws/secrets.ts'
import { CuecardStack } from '../../infra/aws/stack.ts'
import { stages } from '../../infra/aws/stages.ts'
import { answering, databaseUsers, lambdaNames } from '../../infra/wiring.ts'
import { type Fields, StackTemplate, synthesize, useSynthesis } from '../support/aws/aws-template.ts'
import { emptyBundles } from '../support/aws/empty-bundles.ts'

const run = promisify(execFile)

const synthesis = useSynthesis()
let prod: StackTemplate
/** Synthesizes again, for facts that only the constructs have. */
let app: App
const again = synthesis.scratch('again')

beforeAll(async () => {
  prod = synthesis.stack('prod')
  await mkdir(again)
  app = await synthesize(again)
}, 120_000)

describe('migrations', () => {
  test('have succeeded before any Lambda that serves is created or updated', () => {
    const [trigger] = prod.ofType('Custom::Trigger')[0]!
    for (const name of lambdaNames) {
      expect(prod.lambda(name).DependsOn, name).toContain(trigger)
    }
    expect(prod.lambda('migrate').DependsOn ?? []).not.toContain(trigger)
  })

  test('are awaited for longer than the time-out of the Lambda that runs them', () => {
    const [, { Properties }] = prod.ofType('Custom::Trigger')[0]!
    expect(Properties.InvocationType).toBe('RequestResponse')
    expect(Number(Properties.Timeout)).toBeGreaterThan(1000 * Number(prod.lambda('migrate').Properties.Timeout))
  })

  test('run again when one is added, and only then', () => {
    const before = triggerOf('before', 'export const handler = () => 1', ['0001_initial'])
    expect(triggerOf('other-code', 'export const handler = () => 2', ['0001_initial'])).toBe(before)
    expect(triggerOf('one-more', 'export const handler = () => 1', ['0001_initial', '0002_roles'])).not.toBe(before)
  })

  test('do not run again in a rollback, which keeps those of the newer release', () => {
    const names = ['0001_initial', '0002_bad']
    const newer = triggerOf('newer', 'export const handler = () => 2', names)
    const template = new StackTemplate(join(synthesis.scratch('newer'), 'cdk.out'), 'cuecard-dev')
    const { Value } = JSON.parse(template.text).Outputs.migrated
    expect(Value).toBe([...names, ...databaseUsers].join(' '))
    expect(triggerOf('older', 'export const handler = () => 1', names.slice(0, 1), { migrated: Value })).toBe(newer)
  })

  /** The logical id of the trigger of a stack with this migrate Lambda, which knows these migrations. */
  function triggerOf(name: string, migrate: string, migrationNames: string[], context = {}): string {
    const directory = synthesis.scratch(name)
    const bundles = emptyBundles(directory, { migrate })
    const app = new App({ outdir: join(directory, 'cdk.out'), context })
    new CuecardStack(app, 'cuecard-dev', {
      settings: stages.dev,
      secrets: secretsFor('dev', stages.dev),
      bundles,
      migrationNames,
    })
    app.synth()
    return new StackTemplate(join(directory, 'cdk.out'), 'cuecard-dev').ofType('Custom::Trigger')[0]![0]
  }
})

test.each(answering)(
  '%s serves all requests with its new version, which reads old rows, before the Lambdas that write are updated',
  (reader) => {
    const writers = ['documents', 'chunks', 'dashboard', 'embedding', 'extraction', 'sweeper']
    for (const name of writers) {
      expect(prod.lambda(name).DependsOn, name).toContain(prod.alias(reader)[0])
      expect(prod.lambda(reader).DependsOn, name).not.toContain(prod.alias(name)[0])
    }
  },
)

test('the rule packs have a finding for every acknowledgement, so that none outlives its reason', () => {
  const findings = [new AwsSolutionsChecks(app), new ServerlessChecks(app)].flatMap((pack) => {
    Object.defineProperty(pack, 'isAcknowledged', { value: () => false })
    return pack.validateScope(app).violations.map(({ ruleName }) => ruleName)
  })
  const acknowledged = [...acknowledgedRules(app).keys()]
  expect(acknowledged.sort()).toEqual([...new Set(findings)].sort())
})

test.each(Object.keys(entryPoints) as BundleName[])(
  '%s loads in the environment of its Lambda without any package, and the AWS SDK only when it is needed',
  async (name) => {
    const alone = mkdtempSync(join(tmpdir(), 'cuecard-alone-'))
    cpSync(dirname(prod.bundle(name)), alone, { recursive: true })
    const { Variables } = prod.lambda(name).Properties.Environment as { Variables: Fields }
    const env = Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, prod.resolve(value)]))
    for (const name of ['QUEUE_URL', 'EXTRACTION_QUEUE_URL', 'CRAWLER_QUEUE_URL'])
      if (name in env) env[name] = `https://sqs.eu-central-1.amazonaws.com/111122223333/${env[name]}`
    if ('ORIGIN' in env) env.ORIGIN = 'https://api.execute-api.eu-central-1.amazonaws.com'
    const role = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
    const load = `import(${JSON.stringify(join(alone, 'handler.mjs'))}).then(({ handler }) => console.log(typeof handler))`
    const { stdout } = await run(process.execPath, ['--eval', load], { env: { ...role, ...env } })
    rmSync(alone, { recursive: true })
    // A cold start logs a line.
    expect(stdout.trim().split('\n').at(-1)).toBe('function')
  },
)

test.each(['dev', 'prod'] as const)('%s is pinned to the account and the region of its settings', (stage) => {
  const { account, region } = stages[stage]
  for (const name of [`cuecard-${stage}`, `cuecard-${stage}-secrets`])
    expect(app.node.findChild(name)).toMatchObject({ account, region })
})

test('the same sources give the same assets, so that a deploy without a change changes nothing', () => {
  expect(new StackTemplate(join(again, 'cdk.out'), 'cuecard-prod').text).toBe(prod.text)
})
