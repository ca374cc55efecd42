import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Fields, useSynthesis } from '../support/aws/aws-template.ts'

const synthesis = useSynthesis()
const file = join(import.meta.dirname, '../../infra/stage/permissions-cloudformation.json')
const text = readFileSync(file, 'utf8')
const [named, unnamed] = JSON.parse(text.replaceAll('ACCOUNT', '111122223333')).Statement as Record<string, string[]>[]

/** The prefix of a service's actions, where it isn't that of its resources' types. */
const services: Record<string, string> = { ApiGatewayV2: 'apigateway', Custom: 'lambda' }
const serviceOf = (type: string) => {
  const [first, second] = type.split('::')
  return services[first === 'AWS' ? second! : first!] ?? second!.toLowerCase()
}
const servicesOf = (statement: Record<string, string[]>) => statement.Action!.map((action) => action.split(':')[0]!)

/** The part of an ARN before and after a resource's name. */
const arns: Record<string, [string, string]> = {
  'AWS::CloudWatch::Alarm': ['AlarmName', 'cloudwatch:eu-central-1:111122223333:alarm:'],
  'AWS::CloudWatch::Dashboard': ['DashboardName', 'cloudwatch::111122223333:dashboard/'],
  'AWS::CodeDeploy::Application': ['ApplicationName', 'codedeploy:eu-central-1:111122223333:application:'],
  'AWS::Lambda::Function': ['FunctionName', 'lambda:eu-central-1:111122223333:function:'],
  'AWS::Logs::LogGroup': ['LogGroupName', 'logs:eu-central-1:111122223333:log-group:'],
  'AWS::S3::Bucket': ['BucketName', 's3:::'],
  'AWS::SQS::Queue': ['QueueName', 'sqs:eu-central-1:111122223333:'],
  'AWS::SecretsManager::Secret': ['Name', 'secretsmanager:eu-central-1:111122223333:secret:'],
}
const templates = () =>
  (['dev', 'prod', 'everything'] as const).flatMap((stage) => [synthesis.stack(stage), synthesis.secrets(stage)])

test('CloudFormation’s policy covers the services of all resources, and no other but those that they need', () => {
  const made = new Set(
    templates().flatMap(({ resources }) => Object.values(resources).map(({ Type }) => serviceOf(Type))),
  )
  const covered = new Set([...servicesOf(named!), ...servicesOf(unnamed!)])
  expect([...covered].sort()).toEqual([...made, 'acm', 'ssm', 'wafv2'].sort())
})

test('it covers each resource by its name, and every one whose name CloudFormation makes begins with the stack’s', () => {
  const patterns = named!.Resource!.map((each) => new RegExp(`^${RegExp.escape(each).replaceAll('\\*', '.*')}$`))
  for (const { resources } of templates())
    for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
      const [property, begin] = arns[Type] ?? []
      const name = (Properties as Fields)[property ?? '']
      if (typeof name !== 'string') continue
      expect(
        patterns.some((pattern) => pattern.test(`arn:aws:${begin}${name}`)),
        `${id} ${name}`,
      ).toBe(true)
    }
})

test('it may tag what has tags, also where AWS makes the name, and look at alarms, which AWS permits for all only', () => {
  const types = templates().flatMap(({ resources }) =>
    Object.values(resources).flatMap(({ Type, Properties }) => ((Properties as Fields)?.Tags ? [Type] : [])),
  )
  expect(types).toContain('AWS::Lambda::EventSourceMapping')
  expect(named!.Action).toContain('lambda:*')
  expect(named!.Resource).toContain('arn:aws:lambda:*:111122223333:event-source-mapping:*')
  expect(unnamed!.Action).toContain('cloudwatch:DescribeAlarms')
})

test('it has no right to all services, nor to users, groups and policies', () => {
  expect(text).not.toMatch(/"\*:\*"|iam:.*(User|Group|CreatePolicy)/)
})

test('it changes no role of a workflow, which would give a release the rights of people', () => {
  const denied = JSON.parse(text).Statement.find(({ Effect }: { Effect: string }) => Effect === 'Deny')
  const workflows = ['deploy', 'diff', 'backup'].map((name) => `arn:aws:iam::ACCOUNT:role/cuecard-*-${name}`)
  expect(denied).toMatchObject({ Action: ['iam:*'], Resource: workflows })
})

test('it fits into a managed policy', () => {
  expect(text.replaceAll(/\s/g, '').length).toBeLessThan(6144)
})
