import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { exampleStages as stages } from '../../infra/aws/stages.ts'
import { answering, completedBackups, lambdas, metricReporters } from '../../infra/wiring.ts'
import { processing } from '../../shared/documents/processing/guards.ts'
import { dimension, type MetricName, metrics, namespace } from '../../shared/telemetry/metrics.ts'
import { alarmTopicArn, type Fields, type Json, type StackTemplate, useSynthesis } from '../support/aws/aws-template.ts'

const synthesis = useSynthesis()
const runbook = join(import.meta.dirname, '../../infra/runbook')
let stage: StackTemplate

beforeAll(() => {
  stage = synthesis.stack('everything')
})

/** The name that a Lambda counts its metrics under. */
const reporterIn = (name: string) => {
  const { FunctionName, Environment } = stage.lambda(name).Properties
  return (Environment as { Variables: Fields }).Variables.METRICS_OF ?? FunctionName
}
const reporters = () => Object.keys(lambdas).map(reporterIn)

const metricNames = Object.keys(metrics) as MetricName[]
const alarms = () => stage.ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties)
const alarm = (id: string) => stage.one('AWS::CloudWatch::Alarm', 'AlarmName', `cuecard-everything-${id}`)[1].Properties

describe('every alarm', () => {
  test('notifies the topic, when it is raised and when it is over', () => {
    const topic = stage.ofType('AWS::SNS::Topic')[0]![0]
    expect(alarms().length).toBeGreaterThan(0)
    for (const { AlarmName, AlarmActions, OKActions, ActionsEnabled } of alarms()) {
      expect(AlarmActions, String(AlarmName)).toEqual([{ Ref: topic }])
      expect(OKActions, String(AlarmName)).toEqual([{ Ref: topic }])
      expect(ActionsEnabled ?? true, String(AlarmName)).toBe(true)
    }
  })

  test('notifies the team’s own topic instead, where the stage names one', () => {
    const dev = synthesis.stack('dev')
    expect(dev.ofType('AWS::SNS::Topic')).toEqual([])
    for (const [id, { Properties }] of dev.ofType('AWS::CloudWatch::Alarm'))
      expect(Properties, id).toMatchObject({ AlarmActions: [alarmTopicArn], OKActions: [alarmTopicArn] })
  })

  test('describes the incident in one sentence, and links to a page of the runbook that exists', () => {
    for (const { AlarmName, AlarmDescription } of alarms()) {
      const [text, page] = String(AlarmDescription).split(` ${stages.prod.runbookUrl}/`)
      expect(text, String(AlarmName)).toMatch(/^[A-Z](?:[^.:;]|\.\d){30,110}\.$/)
      expect(readdirSync(runbook), String(AlarmName)).toContain(page)
    }
  })

  test('is in the table of alarms with its page, which names it, and every row of the table is an alarm', () => {
    const described = alarms().map(({ AlarmName, AlarmDescription }) => {
      const page = String(AlarmDescription).split('/').at(-1)
      return `${String(AlarmName).replace('cuecard-everything-', '')} → ${page}`
    })
    expect(linesOfTable().toSorted()).toEqual(described.toSorted())
    for (const line of described) {
      const [name, page] = line.split(' → ')
      expect(readFileSync(join(runbook, page!), 'utf8'), line).toContain(
        name!.replace(/^.*-release$/, 'search-release'),
      )
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
      if (name === completedBackups.metric) continue
      const of = String(reporter.Value).replace('cuecard-everything-', '')
      expect(metricReporters[name as MetricName]).toContain(of)
      expect(reporters()).toContain(reporter.Value)
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
    ['dead-letters', 'cuecard-everything-embedding-dead-letters'],
    ['extraction-dead-letters', 'cuecard-everything-extraction-dead-letters'],
    ['crawler-dead-letters', 'cuecard-everything-crawler-dead-letters'],
  ])('at the first dead letter, within a minute: %s', (id, queue) => {
    expect(alarm(id)).toMatchObject({
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
      MetricName: 'ApproximateNumberOfMessagesVisible',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    })
    expect(stage.resolve(((alarm(id).Dimensions as Json[])[0] as Fields).Value!)).toBe(queue)
  })

  test.each([
    ['sweeper-silent', 'Invocations'],
    ['canary-failing', 'CanarySuccess'],
    ['backup-missing', completedBackups.metric],
  ])('when nothing is reported, whatever was reported before: %s', (id, metricName) => {
    expect(alarm(id)).toMatchObject({ TreatMissingData: 'breaching', ComparisonOperator: 'LessThanThreshold' })
    expect(metricsOf(alarm(id))[0]).toMatchObject({ MetricName: metricName })
    expect(JSON.stringify(alarm(id).Metrics)).toContain('"FILL(m0, 0)"')
  })

  test('within ten minutes of a total outage, and not by a canary that works, however long each run takes', () => {
    const seconds = secondsOf(alarm('canary-failing'))
    const { everySeconds, timeoutSeconds } = lambdas.canary
    const [evaluation, delivery, precision] = [60, 60, 60]
    expect(seconds + evaluation + delivery).toBeLessThanOrEqual(600)
    expect(seconds).toBeGreaterThanOrEqual(everySeconds + timeoutSeconds + precision)
  })

  test('when the 95th percentile of the Lambdas that answer is slow', () => {
    expect(JSON.stringify(alarm('search-slow'))).toContain('"p95"')
    const [{ Dimensions }] = metricsOf(alarm('search-slow')) as [Record<string, Fields[]>]
    const [{ Value }] = Dimensions as [Fields]
    const answer = Object.keys(lambdas).filter((name) => reporterIn(name) === Value)
    expect(answer).toEqual([...answering])
  })

  test('for a missing backup only where backups are made', () => {
    const ofDev = synthesis.stack('dev').ofType('AWS::CloudWatch::Alarm')
    const names = ofDev.map(([, { Properties }]) => Properties.AlarmName)
    expect(names).toContain('cuecard-dev-canary-failing')
    expect(names).not.toContain('cuecard-dev-backup-missing')
  })

  test('for a document that crashes every worker, before its attempts are exhausted', () => {
    const { Threshold, EvaluationPeriods, Metrics } = alarm('lease-recoveries')
    const { Period } = (Metrics as Fields[])[0]!.MetricStat as Fields
    const secondsEach = processing.leaseSeconds + lambdas.sweeper.everySeconds
    expect(Number(Threshold)).toBeLessThan(processing.maxAttempts)
    expect(Number(Threshold) * secondsEach).toBeLessThanOrEqual(Number(Period) * Number(EvaluationPeriods))
  })

  test.each([
    ['oldest-message', 'cuecard-everything-embedding'],
    ['extraction-oldest-message', 'cuecard-everything-extraction'],
    ['crawler-oldest-message', 'cuecard-everything-crawler'],
  ])('for a message only after more than one failed delivery: %s', (id, name) => {
    const queue = stage.one('AWS::SQS::Queue', 'QueueName', name)[1].Properties
    expect(Number(alarm(id).Threshold)).toBeGreaterThan(Number(queue.VisibilityTimeout))
  })

  test('when any Lambda is throttled: one alarm for the Lambdas that serve, and one for the others', () => {
    const watched = (id: string) =>
      metricsOf(alarm(id)).map(({ Dimensions }) => stage.resolve(((Dimensions as Json[])[0] as Fields).Value!))
    const named = (names: string[]) => names.sort().map((name) => `cuecard-everything-${name}`)
    const working = watched('worker-throttles')
    expect(working.sort()).toEqual(
      named(['canary', 'connect', 'crawler', 'delivery', 'embedding', 'extraction', 'sweeper']),
    )
    // Programs that the snapshot Lambda has no room for poll.
    const others = Object.keys(lambdas).filter((name) => name !== 'snapshot')
    expect([...watched('lambda-throttles'), ...working].sort()).toEqual(named(others))
  })
})

test('the account’s budget of a month warns whom alarms go to, before it is used up', () => {
  const [, { Properties }] = stage.ofType('AWS::Budgets::Budget')[0]!
  expect(Properties.Budget).toMatchObject({ TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 100, Unit: 'USD' } })
  const warnings = Properties.NotificationsWithSubscribers as { Notification: Fields; Subscribers: Fields[] }[]
  const kinds = warnings.map(({ Notification }) => `${Notification.NotificationType} ${Notification.Threshold} %`)
  expect(kinds).toEqual(['ACTUAL 80 %', 'FORECASTED 100 %'])
  for (const { Subscribers } of warnings)
    expect(Subscribers).toEqual([{ SubscriptionType: 'EMAIL', Address: 'duty@cuecard.example' }])
  const [, ofDev] = synthesis.stack('dev').ofType('AWS::Budgets::Budget')[0]!
  expect(JSON.stringify(ofDev)).toContain(JSON.stringify({ Address: alarmTopicArn, SubscriptionType: 'SNS' }))
})

test('the page of costs has the metrics that CloudWatch bills, of which the Lambdas that serve share theirs', () => {
  const own = Object.values(metricReporters).flat().length
  const page = readFileSync(join(runbook, '../cost.md'), 'utf8')
  expect(page).toContain(`${own} metrics of 0.30, ${alarms().flatMap(metricsOf).length} of alarms of 0.10`)
  expect(new Set(reporters()).size).toBe(8)
})

test('the dashboard shows every metric that the functions report', () => {
  const [, { Properties }] = stage.ofType('AWS::CloudWatch::Dashboard')[0]!
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

/** The seconds that an alarm waits before it starts. */
function secondsOf({ Metrics, Period, EvaluationPeriods }: Fields): number {
  const stats = ((Metrics ?? []) as Fields[]).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat as Fields] : []))
  return Number(stats[0]?.Period ?? Period) * Number(EvaluationPeriods)
}

/** The rows of the table of alarms: `alarm → page`. */
function linesOfTable(): string[] {
  const rows = readFileSync(join(runbook, '../README.md'), 'utf8').matchAll(
    /^\| \[.*\]\(runbook\/([^)]+)\) \| (_.*_) \|$/gm,
  )
  return [...rows].flatMap(([, page, alarms]) => alarms!.split(', ').map((alarm) => `${alarm.slice(1, -1)} → ${page}`))
}
