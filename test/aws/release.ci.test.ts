import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { beforeAll, describe, expect, test } from 'vitest'
import { secretsFor } from '../../infra/aws/secrets.ts'
import { CuecardStack } from '../../infra/aws/stack.ts'
import { exampleStages as stages } from '../../infra/aws/stages.ts'
import { lambdaNames, lambdas } from '../../infra/wiring.ts'
import { type Fields, logicalId, StackTemplate, useSynthesis } from '../support/aws/aws-template.ts'
import { dependenciesOf, referredIn } from '../support/aws/cloud-formation.ts'
import { emptyBundles } from '../support/aws/empty-bundles.ts'

const synthesis = useSynthesis()
let prod: StackTemplate

beforeAll(() => {
  prod = synthesis.stack('prod')
})

const names = lambdaNames
const serving = names.filter((name) => 'routes' in lambdas[name])
const workers = names.filter((name) => !('routes' in lambdas[name]))

/** The deployment group that moves the alias of a Lambda. */
function groupOf(name: string): Fields {
  const { CodeDeployLambdaAliasUpdate: update } = prod.alias(name)[1].UpdatePolicy as { [key: string]: Fields }
  return prod.resources[logicalId(update!.DeploymentGroupName!)]!.Properties
}

/** The alarms that the group watches: logical id → properties. */
function alarmsOf(name: string): [string, Fields][] {
  const { Alarms, Enabled } = groupOf(name).AlarmConfiguration as { Alarms: Fields[]; Enabled: boolean }
  expect(Enabled).toBe(true)
  return Alarms.map(({ Name }) => [logicalId(Name!), prod.resources[logicalId(Name!)]!.Properties])
}

const versionOf = (name: string) => logicalId(prod.alias(name)[1].Properties.FunctionVersion!)

describe.each(['dev', 'prod'] as const)('in %s', (stage) => {
  test('requests, messages and the schedule reach an alias of a Lambda, and nothing may call its latest code', () => {
    const template = synthesis.stack(stage)
    const reached = [
      ...template.ofType('AWS::ApiGatewayV2::Integration').map(([, { Properties }]) => Properties.IntegrationUri),
      ...template.ofType('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties.FunctionName),
      ...template.ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties.FunctionName),
    ].map((target) => template.resolve(target!))
    const wanted = names.filter((name) => !('everySeconds' in lambdas[name]))
    expect([...new Set(reached)].sort()).toEqual(wanted.map((name) => `cuecard-${stage}-${name}:live`).sort())
    const scheduled = template
      .ofType('AWS::Scheduler::Schedule')
      .map(([, { Properties }]) => template.resources[logicalId((Properties.Target as Fields).Arn!)]!.Type)
    expect(scheduled).toEqual(names.filter((name) => !wanted.includes(name)).map(() => 'AWS::Lambda::Alias'))
  })

  test('an alias leads to the version of the code that is deployed', () => {
    const template = synthesis.stack(stage)
    for (const name of names) {
      const { FunctionName, FunctionVersion } = template.alias(name)[1].Properties
      const version = template.resources[logicalId(FunctionVersion!)]!
      expect(version.Type, name).toBe('AWS::Lambda::Version')
      expect(version.Properties.FunctionName, name).toEqual(FunctionName)
    }
  })
})

describe.each(serving)('a new version of %s', (name) => {
  test('gets a tenth of the requests first, and all of them unless an alarm of the release is raised', () => {
    const events = ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST']
    expect(groupOf(name)).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      DeploymentStyle: { DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
      AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(events) },
    })
    const watched = alarmsOf(name).map(([, { AlarmName }]) => AlarmName)
    expect(watched).toEqual([`cuecard-prod-${name}-release`, 'cuecard-prod-release-errors'])
  })

  test('is watched separately from the previous one', () => {
    const [[, own]] = alarmsOf(name) as [[string, Fields]]
    expect(own).toMatchObject({ MetricName: 'Errors', TreatMissingData: 'notBreaching' })
    const dimensions = (own.Dimensions as Fields[]).map(({ Name, Value }) => [Name, Value] as const)
    const { FunctionName, Resource, ExecutedVersion } = Object.fromEntries(dimensions)
    expect(prod.resolve(FunctionName!)).toBe(`cuecard-prod-${name}`)
    expect(prod.resolve(Resource!)).toBe(`cuecard-prod-${name}:live`)
    expect(logicalId(ExecutedVersion!)).toBe(versionOf(name))
  })

  test('is stopped by its alarms before all requests reach it, even if a metric is two minutes late', () => {
    const [, shift] = /(\d+)Minutes$/.exec(String(groupOf(name).DeploymentConfigName))!
    for (const [id, { Period, EvaluationPeriods, Metrics }] of alarmsOf(name)) {
      const inner = ((Metrics ?? []) as { MetricStat?: Fields }[]).map(({ MetricStat }) => MetricStat?.Period)
      const seconds = Math.max(...[Period, ...inner].filter((period) => period !== undefined).map(Number))
      expect(seconds * Number(EvaluationPeriods) + 120, id).toBeLessThan(60 * Number(shift))
    }
  })
})

describe('the hook', () => {
  const tried = ['agents', 'search']
  const policyOf = (name: string) => prod.alias(name)[1].UpdatePolicy!.CodeDeployLambdaAliasUpdate as Fields

  test.each(tried)('tries a new version of %s before requests reach it', (name) => {
    const id = logicalId(policyOf(name).BeforeAllowTrafficHook!)
    const { FunctionName, Code } = prod.resources[id]!.Properties
    expect(FunctionName).toBe('cuecard-prod-release-canary')
    expect(Code).toEqual(prod.lambda('canary').Properties.Code)
    const { NEW_VERSIONS } = (prod.resources[id]!.Properties.Environment as { Variables: Fields }).Variables
    expect(referredIn(NEW_VERSIONS!)).toContain(versionOf(name))
    expect(prod.resolve(policyOf(name).ApplicationName!)).toBe('cuecard-prod')
  })

  test('is of the new release itself, because it waits for no alias', () => {
    const needed = new Set<string>()
    const visit = (id: string): unknown =>
      needed.has(id) || !needed.add(id) || dependenciesOf(prod.resources[id]!, prod.resources).map(visit)
    visit(logicalId(policyOf('search').BeforeAllowTrafficHook!))
    const types = [...needed].map((id) => prod.resources[id]!.Type)
    expect(types).toContain('AWS::ApiGatewayV2::Api')
    expect(types).not.toContain('AWS::Lambda::Alias')
  })

  test('may be invoked by CodeDeploy, which runs it for no other Lambda', () => {
    for (const name of serving.filter((name) => !tried.includes(name)))
      expect(policyOf(name).BeforeAllowTrafficHook, name).toBeUndefined()
    const role = prod.resources[logicalId(groupOf('search').ServiceRoleArn!)]!
    expect(JSON.stringify(role.Properties.Policies)).toContain(
      JSON.stringify({
        Action: 'lambda:InvokeFunction',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [logicalId(policyOf('search').BeforeAllowTrafficHook!), 'Arn'] },
      }),
    )
  })
})

test('only errors that the code did not expect stop a release, and no refused or throttled request', () => {
  const filters = prod
    .ofType('AWS::Logs::MetricFilter')
    .map(([, { Properties }]) => Properties)
    .filter(({ MetricTransformations }) => (MetricTransformations as Fields[])[0]!.MetricName === 'UnexpectedErrors')
  expect(filters.map(({ LogGroupName }) => prod.resolve(LogGroupName!)).sort()).toEqual(
    serving.map((name) => `/aws/lambda/cuecard-prod-${name}`).sort(),
  )
  for (const { FilterPattern } of filters) expect(FilterPattern).toBe('{ $.message = "unexpected_error" }')
  const [, { Properties: alarm }] = prod.one('AWS::CloudWatch::Alarm', 'AlarmName', 'cuecard-prod-release-errors')
  const read = (alarm.Metrics as { MetricStat?: { Metric: Fields } }[]).flatMap(
    ({ MetricStat }) => MetricStat?.Metric.MetricName ?? [],
  )
  expect(read.sort()).toEqual(['Count', 'UnexpectedErrors'])
})

test.each(workers)(
  'the worker %s is updated at once, after every Lambda that serves has moved all requests to its new version',
  (name) => {
    expect(prod.alias(name)[1].UpdatePolicy).toBeUndefined()
    for (const served of serving) expect(prod.lambda(name).DependsOn, served).toContain(prod.alias(served)[0])
  },
)

test('prod keeps earlier versions for a rollback by hand, but not one whose deploy failed; dev keeps none, and shifts at once', () => {
  const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }
  for (const name of names) expect(prod.resources[versionOf(name)], name).toMatchObject(kept)
  for (const [id, { DeletionPolicy }] of synthesis.stack('dev').ofType('AWS::Lambda::Version'))
    expect(DeletionPolicy, id).toBe('Delete')
  expect(synthesis.stack('dev').text).not.toMatch(/CodeDeploy/)
})

test('an immediate deploy consults no alarm, and removes no alarm and no deployment group', () => {
  const atOnce = prodWith('at-once')
  const byDefault = prodWith(undefined)
  expect(byDefault.text).toContain('CodeDeployLambdaAliasUpdate')
  expect(atOnce.text).not.toContain('CodeDeployLambdaAliasUpdate')
  const ids = ({ resources }: StackTemplate) => Object.keys(resources)
  expect(ids(atOnce)).toEqual(ids(byDefault))
})

/** The stack of prod without its code, deployed with `--context shift=…`. */
function prodWith(shift: string | undefined): StackTemplate {
  const directory = synthesis.scratch(`shift-${shift}`)
  const outdir = join(directory, 'cdk.out')
  const app = new App({ outdir, context: shift === undefined ? {} : { shift } })
  new CuecardStack(app, 'cuecard-prod', {
    settings: stages.prod,
    secrets: secretsFor('prod', stages.prod),
    bundles: emptyBundles(directory),
  })
  app.synth()
  return new StackTemplate(outdir, 'cuecard-prod')
}
