import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cdkDeploy } from '../../infra/stage/context.ts'
import { databaseUsers } from '../../infra/wiring.ts'
import { type Fields, type Json, type StageUnderTest, useSynthesis } from '../support/aws/aws-template.ts'
import { CloudFormation, Refused, referredIn, type Template } from '../support/aws/cloud-formation.ts'

const synthesis = useSynthesis()

/** The templates of one version of the code. */
type Release = Record<string, Template>

describe.each(['dev', 'prod'] as const)('%s', (stage) => {
  test.each(databaseUsers)(
    'accepts a release that adds %s, then the one before it, then the newer one again',
    (lambda) => {
      const newer = releaseOf(stage)
      const older = withoutLambda(newer, stage, lambda)
      const { create, deploy, account } = accountOf(stage)
      create(older)
      deploy(older)
      create(newer)
      deploy(newer)
      const afterwards = account()
      deploy(older)
      const logs = `AWS::Logs::LogGroup /aws/lambda/cuecard-${stage}-${lambda}`
      expect(deploy(newer)).toEqual(stage === 'prod' ? [logs] : [])
      expect(account()).toEqual(afterwards)
    },
  )

  test('keeps the secret of a newer release when the one before it is created again', () => {
    const newer = releaseOf(stage)
    const older = withoutLambda(newer, stage, 'delivery')
    const { create, deploy, account } = accountOf(stage)
    create(newer)
    deploy(newer)
    const afterwards = account()
    deploy(older)
    create(older)
    create(newer)
    deploy(newer)
    expect(account()).toEqual(afterwards)
  })
})

test('a new stack of prod adopts its bucket and its logs, after the one before it is lost', () => {
  const { create, deploy, account } = accountOf('prod')
  const release = releaseOf('prod')
  create(release)
  deploy(release)
  const before = account()
  deploy({ ...release, 'cuecard-prod': { Resources: {} } })
  const left = Object.entries(account()).flatMap(([name, stack]) => (stack === null ? [name] : []))
  expect(left).toContain('AWS::S3::Bucket cuecard-prod-files-111122223333-eu-central-1')
  expect(deploy(release).toSorted()).toEqual(left)
  expect(account()).toEqual(before)
})

describe('CloudFormation accepts', () => {
  test.each(['dev', 'prod', 'everything'] as const)('%s in an empty account', (stage) => {
    const { create, deploy } = accountOf(stage)
    create(releaseOf(stage))
    expect(deploy(releaseOf(stage))).toEqual([])
  })

  test('no throttle of a route that may not be there yet', () => {
    const route = { Type: 'AWS::ApiGatewayV2::Route', Properties: { RouteKey: 'ANY /a' } }
    const stageOf = (DependsOn: string[]) => ({
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: { RouteSettings: { 'ANY /a': { ThrottlingRateLimit: 1 } } },
      DependsOn,
    })
    const deploy = (DependsOn: string[]) => () =>
      new CloudFormation().deploy('s', { Resources: { stage: stageOf(DependsOn), route } }, { adopts: true })
    expect(deploy([])).toThrow(new Refused('Unable to find Route by key ANY /a within the provided RouteSettings'))
    expect(deploy(['route'])).not.toThrow()
  })

  const refersTo = (id: string): [string, object][] => [
    ['Properties', { Properties: { Role: { 'Fn::GetAtt': [id, 'Arn'] } } }],
    ['a pattern', { Properties: { Role: { 'Fn::Sub': `arn:\${AWS::Partition}:iam::1:role/\${${id}.Name}` } } }],
    ['UpdatePolicy', { UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: id } } } }],
    ['CreationPolicy', { CreationPolicy: { ResourceSignal: { Count: { Ref: id } } } }],
    ['Metadata', { Metadata: { of: { 'Fn::GetAtt': `${id}.Arn` } } }],
    ['DependsOn', { DependsOn: [id] }],
    ['one name in DependsOn', { DependsOn: id }],
  ]

  test.each(refersTo('B'))('no circle through %s', (_, attribute) => {
    const resource = { Type: 'AWS::IAM::Role', Properties: {} as Fields }
    const circle = {
      A: { ...resource, ...attribute },
      B: { ...resource, Properties: { Of: { Ref: 'A' } } },
      C: resource,
    }
    const deploy = (Resources: object) => () =>
      new CloudFormation().deploy('s', { Resources } as Template, { adopts: true })
    expect(deploy(circle)).toThrow(new Refused('Circular dependency between resources: [A, B]'))
    expect(deploy({ ...circle, B: resource })).not.toThrow()
  })
})

/** An account in which the commands of `npm run stage` run CDK with their own arguments. */
function accountOf(stage: StageUnderTest) {
  const cloud = new CloudFormation()
  const main = `cuecard-${stage}`
  const { artifacts } = JSON.parse(readFileSync(join(synthesis.outdir, 'manifest.json'), 'utf8'))

  function cdk(release: Release, args: readonly string[]): string[] {
    const name = args.at(-1)!
    const before = (artifacts[name].dependencies as string[]).filter((each) => each in release)
    const stacks = args.includes('--exclusively') ? [name] : [...before, name]
    const adopts = args.includes('--import-existing-resources')
    return stacks.flatMap((each) => cloud.deploy(each, release[each]!, { adopts }))
  }

  return {
    account: () => cloud.account(),
    /** Makes the secrets if one is missing. */
    create(release: Release): void {
      const secrets = Object.values(release[`${main}-secrets`]!.Resources)
      if (secrets.every(({ Type, Properties: { Name } }) => cloud.has(Type, String(Name)))) return
      cdk(release, [...cdkDeploy, `${main}-secrets`])
    },
    deploy: (release: Release) => cdk(release, [...cdkDeploy, main]),
  }
}

function releaseOf(stage: StageUnderTest): Release {
  const stacks = [synthesis.secrets(stage), synthesis.stack(stage)]
  return Object.fromEntries(stacks.map(({ name, text }) => [name, JSON.parse(text) as Template]))
}

/** The release before a Lambda was added: without the Lambda, its logs, its secret, its role and everything that invokes it. */
function withoutLambda(release: Release, stage: StageUnderTest, lambda: string): Release {
  const own = [
    `cuecard-${stage}-${lambda}`,
    `/aws/lambda/cuecard-${stage}-${lambda}`,
    `cuecard/${stage}/database-${lambda}`,
  ]
  const kinds = ['Version', 'Alias', 'Permission', 'EventInvokeConfig', 'EventSourceMapping', 'Integration', 'Route']
  const targets = new Set(['Lambda', 'ApiGatewayV2', 'Scheduler', 'CodeDeploy'].map((each) => `AWS::${each}`))
  const leads = (type: string) =>
    targets.has(type.split('::', 2).join('::')) &&
    [...kinds, 'Schedule', 'DeploymentGroup'].includes(type.split('::')[2]!)
  const entries = Object.entries(structuredClone(release)).map(([stack, template]): [string, Template] => {
    const { Resources, Outputs = {} } = template
    const named = Object.entries(Resources).filter(([, { Properties = {} }]) =>
      [Properties.FunctionName, Properties.LogGroupName, Properties.Name].some((name) => own.includes(String(name))),
    )
    const roles = named.flatMap(([, { Properties }]) => (Properties.Role ? referredIn(Properties.Role) : []))
    const gone = new Set([...named.map(([id]) => id), ...roles])
    for (let size = 0; size < gone.size; ) {
      size = gone.size
      for (const [id, { Type, Properties }] of Object.entries(Resources))
        if (leads(Type) && referredIn(Properties).some((each) => gone.has(each))) gone.add(id)
    }
    for (const { Properties = {} } of Object.values(Resources))
      for (const id of gone)
        delete (Properties.RouteSettings as Fields | undefined)?.[String(Resources[id]!.Properties.RouteKey)]
    const keeps = ([id, part]: [string, { Value?: Json }]) =>
      !gone.has(id) && (part.Value === undefined || !referredIn(part.Value).some((each) => gone.has(each)))
    return [
      stack,
      {
        Resources: Object.fromEntries(Object.entries(Resources).filter(([id]) => !gone.has(id))),
        Outputs: Object.fromEntries(Object.entries(Outputs).filter(keeps)),
      },
    ]
  })
  return Object.fromEntries(entries)
}
