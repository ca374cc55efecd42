import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const infra = join(import.meta.dirname, '../../infra')
const pages = globSync('runbook/*.md', { cwd: infra })
const textOf = (page: string) => readFileSync(join(infra, page), 'utf8')

interface Statement {
  Action: string[]
  Resource: string[]
}

/** A policy for prod, as the sentence of the first page fills it in. */
function policy(name: string): Statement[] {
  const text = readFileSync(join(infra, 'stage', `permissions-${name}.json`), 'utf8')
  const own: Record<string, string> = { ACCOUNT: '111122223333', REGION: 'eu-central-1', STAGE: 'prod' }
  return JSON.parse(text.replaceAll(/ACCOUNT|REGION|STAGE/g, (word) => own[word]!)).Statement
}

const isLike = (text: string, pattern: string) =>
  new RegExp(`^${RegExp.escape(pattern).replaceAll('\\*', '.*')}$`).test(text)

const permits = (statements: Statement[], action: string, resource: string) =>
  statements.some(
    ({ Action, Resource }) =>
      Action.some((each) => isLike(action, each)) && Resource.some((each) => isLike(resource, each)),
  )

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:111122223333:${resource}`
const stack = (args: string) => arn('cloudformation', `stack/${/--stack-name (\S+)/.exec(args)![1]}/1234abcd`)
const log = (args: string) => arn('logs', `log-group:${/(\/aws\/\S+)/.exec(args)![1]}:*`)
const deadLetters = () => arn('sqs', 'cuecard-prod-embedding-dead-letters')
const bucket = () => 'arn:aws:s3:::cuecard-prod-files-111122223333-eu-central-1'
const none = () => '*'

/** What a command of the pages calls, by AWS's service authorization reference. */
const calls: Record<string, [string, (args: string) => string]> = {
  'logs tail': ['logs:FilterLogEvents', log],
  'scheduler list-schedules': ['scheduler:ListSchedules', none],
  'deploy list-deployments': ['codedeploy:ListDeployments', none],
  'cloudformation cancel-update-stack': ['cloudformation:CancelUpdateStack', stack],
  'cloudformation continue-update-rollback': ['cloudformation:ContinueUpdateRollback', stack],
  'cloudformation describe-stack-events': ['cloudformation:DescribeStackEvents', stack],
  'cloudwatch set-alarm-state': [
    'cloudwatch:SetAlarmState',
    (args) => arn('cloudwatch', `alarm:${/--alarm-name (\S+)/.exec(args)![1]}`),
  ],
  'lambda list-event-source-mappings': ['lambda:ListEventSourceMappings', none],
  'sqs receive-message': ['sqs:ReceiveMessage', deadLetters],
  'sqs purge-queue': ['sqs:PurgeQueue', deadLetters],
  's3api list-object-versions': ['s3:ListBucketVersions', bucket],
  's3api delete-object': ['s3:DeleteObjectVersion', () => `${bucket()}/a/b`],
}

/** Commands that need a person's other rights, which their page names. */
const others: Record<string, string> = {
  'service-quotas request-service-quota-increase': 'You need an AWS account',
  'iam create-policy': 'as an administrator',
  's3 cp': 'as `filesReaderArn`',
  's3 mb': 'By an administrator of its account',
  's3api put-bucket-versioning': 'By an administrator of its account',
  's3api put-bucket-lifecycle-configuration': 'By an administrator of its account',
}

const commands = ['README.md', ...pages].flatMap((page) =>
  [...textOf(page).matchAll(/(?<=^ *|`|\bdo |\| *)aws ([a-z0-9]+ [a-z-]+)([^`\n]*)/gm)].map(
    ([, name, args]) => [page, name!, args!] as const,
  ),
)

test.each(commands)('%s: aws %s is permitted to who follows the page', (page, name, args) => {
  if (name in others) return expect(textOf(page)).toContain(others[name])
  const call = calls[name]
  if (!call) throw new Error(`Which action does aws ${name} call?`)
  const whose = page === 'runbook/restore.md' ? 'destroy' : 'oncall'
  expect(permits(policy(whose), call[0], call[1](args)), call[0]).toBe(true)
})

test('the pages have commands of AWS’s command line', () => {
  expect(commands.length).toBeGreaterThan(12)
})

describe('the team on call', () => {
  test('may look at Logs Insights and the dashboard, and redrive dead letters', () => {
    const needed = [
      ...['logs:StartQuery', 'logs:GetQueryResults', 'cloudwatch:GetDashboard', 'cloudwatch:GetMetricData'],
      ...['sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:SendMessage', 'sqs:DeleteMessage'],
    ]
    const actions = policy('oncall').flatMap(({ Action }) => Action)
    expect(actions).toEqual(expect.arrayContaining(needed))
  })

  test('reaches no other stage, reads no secret and no file, and deletes nothing but messages', () => {
    const statements = policy('oncall')
    for (const { Resource } of statements)
      for (const each of Resource) expect(each).toMatch(/^\*$|cuecard-prod[-/]|cuecard\/prod\/|stack\/CDKToolkit\//)
    const actions = statements.flatMap(({ Action }) => Action)
    expect(actions.filter((each) => /GetSecretValue|^s3:|^kms:|Delete(?!Message$)/.test(each))).toEqual([])
  })
})
