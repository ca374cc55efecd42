import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stages } from '../../infra/aws/stages.ts'
import { lambdas, metricReporters } from '../../infra/wiring.ts'
import { leaseSeconds, maxAttempts } from '../../shared/documents/transitions.ts'
import { dimension, type MetricName, metrics, namespace } from '../../shared/metrics.ts'
import { type Fields, type Json, type StackTemplate, type Synthesis, synthesize } from '../support/aws-template.ts'

let synthesis: Synthesis
let prod: StackTemplate

beforeAll(async () => {
  synthesis = await synthesize()
  prod = synthesis.stack('prod')
}, 120_000)
afterAll(() => synthesis?.remove())

const metricNames = Object.keys(metrics) as MetricName[]
const alarms = () => prod.ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties)
const alarm = (id: string) => prod.one('AWS::CloudWatch::Alarm', 'AlarmName', `cuecard-prod-${id}`)[1].Properties

describe('every alarm', () => {
  test('notifies the topic, when it is raised and when it is over', () => {
    const topic = prod.ofType('AWS::SNS::Topic')[0]![0]
    expect(alarms().length).toBeGreaterThan(0)
    for (const { AlarmName, AlarmActions, OKActions, ActionsEnabled } of alarms()) {
      expect(AlarmActions, String(AlarmName)).toEqual([{ Ref: topic }])
      expect(OKActions, String(AlarmName)).toEqual([{ Ref: topic }])
      expect(ActionsEnabled ?? true, String(AlarmName)).toBe(true)
    }
  })

  test('says what to do and links to a heading of the runbook that exists', () => {
    const headings = runbookAnchors()
    for (const { AlarmName, AlarmDescription } of alarms()) {
      const [text, link] = String(AlarmDescription).split(` ${stages.prod.runbookUrl}#`)
      expect(text!.length, String(AlarmName)).toBeGreaterThan(60)
      expect(headings, String(AlarmName)).toContain(link)
    }
  })

  test('watches a metric that AWS or one of the functions reports', () => {
    const ours = alarms()
      .flatMap(metricsOf)
      .filter(({ Namespace }) => Namespace === namespace)
    expect(ours.length).toBeGreaterThan(0)
    for (const { MetricName: name, Dimensions } of ours) {
      const [reporter] = Dimensions as [Fields]
      expect(reporter.Name).toBe(dimension)
      const lambda = String(reporter.Value).replace('cuecard-prod-', '')
      expect(metricReporters[name as MetricName]).toContain(lambda)
      expect(() => prod.lambda(lambda)).not.toThrow()
    }
  })

  test('sums at most the ten metrics that CloudWatch allows in an alarm', () => {
    for (const properties of alarms()) {
      expect(metricsOf(properties).length, String(properties.AlarmName)).toBeLessThanOrEqual(10)
    }
  })
})

describe('an alarm is raised', () => {
  test.each([
    ['dead-letters', 'cuecard-prod-embedding-dead-letters'],
    ['extraction-dead-letters', 'cuecard-prod-extraction-dead-letters'],
  ])('at the first dead letter, within a minute: %s', (id, queue) => {
    expect(alarm(id)).toMatchObject({
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      MetricName: 'ApproximateNumberOfMessagesVisible',
    })
    expect(prod.resolve(((alarm(id).Dimensions as Json[])[0] as Fields).Value!)).toBe(queue)
  })

  test('when the sweeper reports nothing at all', () => {
    expect(alarm('sweeper-silent')).toMatchObject({
      MetricName: 'Invocations',
      TreatMissingData: 'breaching',
      ComparisonOperator: 'LessThanThreshold',
    })
  })

  test.each([
    ['lease-recoveries', 'LeaseRecoveries'],
    ['oldest-message', 'ApproximateAgeOfOldestMessage'],
    ['oldest-pending-document', 'OldestPendingSeconds'],
    ['extraction-oldest-message', 'ApproximateAgeOfOldestMessage'],
    ['embedding-errors', 'Errors'],
    ['extraction-errors', 'Errors'],
    ['api-errors', '5xx'],
    ['provider-key-rejected', 'ProviderKeyRejected'],
    ['lambda-throttles', 'Throttles'],
    ['requests-throttled', 'RequestsThrottled'],
    ['sweeper-errors', 'Errors'],
  ])('%s, on %s', (id, metricName) => {
    expect(metricsOf(alarm(id)).map(({ MetricName: name }) => name)).toContain(metricName)
  })

  test('for a document that crashes every worker, before its attempts are exhausted', () => {
    const { Threshold, EvaluationPeriods, Metrics } = alarm('lease-recoveries')
    const { Period } = (Metrics as Fields[])[0]!.MetricStat as Fields
    const secondsEach = leaseSeconds + lambdas.sweeper.everySeconds
    expect(Number(Threshold)).toBeLessThan(maxAttempts)
    expect(Number(Threshold) * secondsEach).toBeLessThanOrEqual(Number(Period) * Number(EvaluationPeriods))
  })

  test.each([
    ['oldest-message', 'cuecard-prod-embedding'],
    ['extraction-oldest-message', 'cuecard-prod-extraction'],
  ])('for a message only after more than one failed delivery: %s', (id, name) => {
    const queue = prod.one('AWS::SQS::Queue', 'QueueName', name)[1].Properties
    expect(Number(alarm(id).Threshold)).toBeGreaterThan(Number(queue.VisibilityTimeout))
  })

  test('when any of the Lambdas is throttled: one for those that serve, one for those that work', () => {
    const watched = (id: string) =>
      metricsOf(alarm(id)).map(({ Dimensions }) => prod.resolve(((Dimensions as Json[])[0] as Fields).Value!))
    const serving = watched('lambda-throttles')
    const working = watched('worker-throttles')
    expect(working.sort()).toEqual(['embedding', 'extraction', 'sweeper'].map((name) => `cuecard-prod-${name}`))
    expect([...serving, ...working].sort()).toEqual(
      Object.keys(lambdas)
        .sort()
        .map((name) => `cuecard-prod-${name}`),
    )
  })
})

describe('the topic of the alarms', () => {
  test('is encrypted with a key that CloudWatch may use, and requires TLS', () => {
    const [, topic] = prod.ofType('AWS::SNS::Topic')[0]!
    const [keyId, key] = prod.ofType('AWS::KMS::Key')[0]!
    expect(topic.Properties.KmsMasterKeyId).toEqual({ 'Fn::GetAtt': [keyId, 'Arn'] })
    expect(key.Properties.EnableKeyRotation).toBe(true)
    expect(JSON.stringify(key.Properties.KeyPolicy)).toContain('cloudwatch.amazonaws.com')
    const policy = JSON.stringify(prod.ofType('AWS::SNS::TopicPolicy')[0]![1].Properties.PolicyDocument)
    expect(policy).toContain('"aws:SecureTransport":"false"')
    expect(policy).toContain('cloudwatch.amazonaws.com')
  })

  test('mails the address of the stage', () => {
    const [, { Properties }] = synthesis.stack('everything').ofType('AWS::SNS::Subscription')[0]!
    expect(Properties).toMatchObject({ Protocol: 'email', Endpoint: 'duty@cuecard.example' })
  })
})

test('the dashboard shows every metric that the functions report', () => {
  const [, { Properties }] = prod.ofType('AWS::CloudWatch::Dashboard')[0]!
  const body = JSON.stringify(Properties.DashboardBody)
  for (const name of metricNames) expect(body, name).toContain(`\\"${name}\\"`)
})

/** The metrics behind an alarm, of a plain one as of one that computes. */
function metricsOf(properties: Fields): Fields[] {
  if (!properties.Metrics) return [properties]
  return (properties.Metrics as Fields[]).flatMap(({ MetricStat }) =>
    MetricStat ? [(MetricStat as Fields).Metric as Fields] : [],
  )
}

/** The headings of the runbook as GitHub makes anchors of them. */
function runbookAnchors(): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../infra/README.md'), 'utf8')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
