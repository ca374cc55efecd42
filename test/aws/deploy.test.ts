import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { App, Stack } from 'aws-cdk-lib'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bundle, type BundleName, entryPoints } from '../../infra/aws/bundles/bundle.ts'
import { acknowledgedRules, addRuleChecks } from '../../infra/aws/rule-checks.ts'
import { SecretsStack } from '../../infra/aws/secrets.ts'
import { CuecardStack } from '../../infra/aws/stack.ts'
import { stages } from '../../infra/aws/stages.ts'
import { answering, type LambdaName, lambdas } from '../../infra/wiring.ts'
import { type Fields, type Json, StackTemplate, type Synthesis, synthesize } from '../support/aws-template.ts'

const run = promisify(execFile)

let synthesis: Synthesis
let prod: StackTemplate

beforeAll(async () => {
  synthesis = await synthesize()
  prod = synthesis.stack('prod')
}, 120_000)
afterAll(() => synthesis?.remove())

describe('migrations', () => {
  test('have succeeded before any Lambda that serves is created or updated', () => {
    const [trigger] = prod.ofType('Custom::Trigger')[0]!
    for (const name of Object.keys(lambdas) as LambdaName[]) {
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
    const before = triggered('before', 'export const handler = () => ["0001"]')
    expect(triggered('same', 'export const handler = () => ["0001"]')).toEqual(before)
    expect(triggered('after', 'export const handler = () => ["0001", "0002"]')).not.toEqual(before)
  })

  test('are followed by the backfills once every Lambda that serves is updated, by the same version', () => {
    const [, trigger] = prod.ofType('Custom::Trigger')[0]!
    const [, backfills] = prod.ofType('AWS::Scheduler::Schedule').find(([, { Properties }]) => {
      return JSON.stringify(Properties.Target).includes('backfill')
    })!
    expect((backfills.Properties.Target as Fields).Arn).toEqual(trigger.Properties.HandlerArn)
    for (const name of Object.keys(lambdas)) expect(backfills.DependsOn, name).toContain(idOf(name))
  })

  test('are followed by runs of the backfills that do not overlap', () => {
    const schedules = prod.ofType('AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties)
    const { ScheduleExpression } = schedules.find(({ Target }) => JSON.stringify(Target).includes('backfill'))!
    const [, minutes] = /^rate\((\d+) minutes\)$/.exec(String(ScheduleExpression))!
    expect(60 * Number(minutes)).toBeGreaterThan(Number(prod.lambda('migrate').Properties.Timeout))
  })

  /** What the trigger of a stack with this migrate Lambda is told to run. */
  function triggered(name: string, migrate: string): Json {
    const directory = synthesis.scratch(name)
    const names = Object.keys(entryPoints) as BundleName[]
    for (const bundle of names) {
      mkdirSync(join(directory, bundle), { recursive: true })
      writeFileSync(join(directory, bundle, 'handler.mjs'), bundle === 'migrate' ? migrate : 'export {}')
    }
    const bundles = Object.fromEntries(
      names.map((bundle) => [bundle, { directory: join(directory, bundle), bytes: 0, startBytes: 0 }]),
    ) as Record<BundleName, Bundle>
    const app = new App({ outdir: join(directory, 'cdk.out') })
    const { secrets } = new SecretsStack(app, 'cuecard-dev-secrets', 'dev', stages.dev, {})
    new CuecardStack(app, 'cuecard-dev', { settings: stages.dev, secrets, bundles })
    app.synth()
    const [, trigger] = new StackTemplate(join(directory, 'cdk.out'), 'cuecard-dev').ofType('Custom::Trigger')[0]!
    return trigger.Properties.HandlerArn!
  }
})

test.each(answering)(
  '%s, which reads what the previous release wrote, is updated before the Lambdas that write',
  (reader) => {
    const writers = ['documents', 'chunks', 'embedding', 'sweeper']
    for (const name of writers) {
      expect(prod.lambda(name).DependsOn, name).toContain(idOf(reader))
      expect(prod.lambda(reader).DependsOn, name).not.toContain(idOf(name))
    }
  },
)

function idOf(name: string): string {
  return prod.one('AWS::Lambda::Function', 'FunctionName', `cuecard-prod-${name}`)[0]
}

describe('the rule packs', () => {
  test('fail the synth on a finding that is not acknowledged', () => {
    const app = new App({ outdir: synthesis.scratch('finding') })
    addRuleChecks(app)
    new Queue(new Stack(app, 'stack'), 'queue')
    expect(() => app.synth()).toThrow(/AwsSolutions-SQS4/)
  })

  test('have a finding for every acknowledgement, so that none outlives its reason', () => {
    const { app } = synthesis
    const findings = [new AwsSolutionsChecks(app), new ServerlessChecks(app)].flatMap((pack) => {
      Object.defineProperty(pack, 'isAcknowledged', { value: () => false })
      return pack.validateScope(app).violations.map(({ ruleName }) => ruleName)
    })
    const acknowledged = [...acknowledgedRules(app).keys()]
    expect(acknowledged.sort()).toEqual([...new Set(findings)].sort())
  })
})

describe('what is deployed', () => {
  test.each(Object.keys(entryPoints) as BundleName[])(
    '%s loads as Lambda loads it: in the environment it is given, without any package, the AWS SDK only when it is needed',
    async (name) => {
      const alone = mkdtempSync(join(tmpdir(), 'cuecard-alone-'))
      cpSync(dirname(prod.bundle(name)), alone, { recursive: true })
      const { Variables } = prod.lambda(name).Properties.Environment as { Variables: Fields }
      const env = Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, prod.resolve(value)]))
      if ('QUEUE_URL' in env) env.QUEUE_URL = `https://sqs.eu-central-1.amazonaws.com/111122223333/${env.QUEUE_URL}`
      const load = `import(${JSON.stringify(join(alone, 'handler.mjs'))}).then(({ handler }) => console.log(typeof handler))`
      const { stdout } = await run(process.execPath, ['--eval', load], { env: { AWS_REGION: 'eu-central-1', ...env } })
      rmSync(alone, { recursive: true })
      expect(stdout.trim()).toBe('function')
    },
  )
})

test('the same sources give the same assets, so that a deploy without a change changes nothing', async () => {
  const again = await synthesize()
  const text = again.stack('prod').text
  again.remove()
  expect(text).toBe(prod.text)
})
