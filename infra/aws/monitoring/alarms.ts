import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type LambdaName, lambdas, type QueueName } from '../../wiring.ts'
import type { Api } from '../http-api.ts'
import type { WorkQueue } from '../queue.ts'
import type { StageSettings } from '../stages.ts'
import type { AlarmSettings } from './alarm-settings.ts'
import { createAlarmTopic } from './alarm-topic.ts'
import { failureRate, reportedBy, sum, total } from './metric.ts'
import { workerAlarms } from './worker-alarms.ts'

type Watched = {
  readonly http: Api
  readonly functions: Record<LambdaName, IFunction>
  readonly work: Readonly<Record<QueueName, WorkQueue>>
}

export function createAlarms(
  scope: Construct,
  name: string,
  { http, functions, work }: Watched,
  settings: StageSettings,
): Alarm[] {
  const action = new SnsAction(createAlarmTopic(scope, settings))
  const five = Duration.minutes(5)

  const throttledRequests = new MetricFilter(scope, 'throttled-requests', {
    logGroup: http.accessLogs,
    filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
    metricNamespace: name,
    metricName: 'RequestsThrottled',
    metricValue: '1',
    defaultValue: 0,
  })

  const alarms: Record<string, AlarmSettings> = {
    ...workerAlarms('embedding', work.embedding, functions.embedding, settings),
    ...workerAlarms('extraction', work.extraction, functions.extraction, settings),
    'lease-recoveries': {
      metric: total(name, 'LeaseRecoveries', Duration.minutes(15)),
      // One document that crashes every worker adds up to four in this time: 150 s of lease, and the sweeper runs each minute.
      threshold: 3,
      periods: 1,
      text: 'Workers crash while they process documents: the embedding Lambda runs out of time or memory, or loses the database. After five crashed attempts a document ends in error, without a dead letter. Check the log, and the documents with several attempts.',
      heading: 'lease-recoveries',
    },
    'oldest-pending-document': {
      metric: reportedBy(name, 'OldestPendingSeconds', 'sweeper', 'Maximum'),
      threshold: settings.oldestPendingSeconds,
      periods: 3,
      text: 'A document has been waiting too long to become searchable. If it is one, check its row; if there are many, check the provider and the queue.',
      heading: 'a-stuck-document',
    },
    'sweeper-silent': {
      metric: functions.sweeper.metricInvocations({ statistic: 'Sum', period: five }),
      threshold: 1,
      periods: 1,
      missing: TreatMissingData.BREACHING,
      text: 'The sweeper has not run for five minutes: lost messages and expired leases are not recovered, and waiting documents are not measured. Check its schedule and the role of the schedule.',
      heading: 'the-sweeper-is-silent',
    },
    'sweeper-errors': {
      metric: functions.sweeper.metricErrors({ statistic: 'Sum', period: five }),
      threshold: 3,
      periods: 1,
      text: 'Most runs of the sweeper fail. Its log gives the reason; usually the database rejects its login.',
      heading: 'the-sweeper-is-silent',
    },
    'api-errors': {
      metric: failureRate(http.api.metricServerError({ period: five }), http.api.metricCount({ period: five }), 5),
      threshold: 1,
      periods: 2,
      text: 'At least 1 % of the requests fail with a 5xx. The access log shows which route, the log of its Lambda shows why; roll back if a release went out just before.',
      heading: 'errors',
    },
    'provider-key-rejected': {
      metric: total(name, 'ProviderKeyRejected', five),
      threshold: 1,
      periods: 1,
      text: 'The embedding provider rejects our key (401, 403), or our URL or model (404 and similar): nothing is embedded, searches by text fail, and documents stay pending for up to 24 hours. Put a valid key into the secret, or correct the provider settings of the stage.',
      heading: 'rotating-the-provider-key',
    },
    'lambda-throttles': throttles(serving.map((name) => functions[name])),
    'worker-throttles': throttles(workers.map((name) => functions[name])),
    'requests-throttled': {
      metric: throttledRequests.metric({ statistic: 'Sum', period: five }),
      threshold: 100,
      periods: 2,
      text: 'API Gateway responds with 429 to requests above the throttle. If it is one caller, contact them; if it is all, raise the throttle of the stage.',
      heading: 'what-to-raise-first',
    },
  }

  return Object.entries(alarms).map(([id, { metric, threshold, periods, missing, text, heading }]) => {
    const alarm = new Alarm(scope, id, {
      alarmName: `${name}-${id}`,
      alarmDescription: `${text} ${settings.runbookUrl}#${heading}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator:
        missing === TreatMissingData.BREACHING
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    })
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    return alarm
  })
}

const names = Object.keys(lambdas) as LambdaName[]
/** Those of the API and of the dashboard, and the others: one alarm has room for ten metrics. */
const serving = names.filter((name) => 'routes' in lambdas[name])
const workers = names.filter((name) => !serving.includes(name))

function throttles(functions: IFunction[]): AlarmSettings {
  const period = Duration.minutes(5)
  return {
    metric: sum(
      'Throttles',
      functions.map((lambda) => lambda.metricThrottles({ statistic: 'Sum', period })),
      period,
    ),
    threshold: 1,
    periods: 2,
    text: 'A Lambda has reached the executions that are reserved for it, or the account its limit. The dashboard shows which Lambda: if it is slow, find out why; if there is more traffic than the stage is made for, raise what is reserved, the compute of the database with it.',
    heading: 'what-to-raise-first',
  }
}
