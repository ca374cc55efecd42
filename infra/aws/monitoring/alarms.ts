import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { LambdaName } from '../../wiring.ts'
import type { Api } from '../http-api.ts'
import type { EmbeddingQueue } from '../queue.ts'
import type { StageSettings } from '../stages.ts'
import { createAlarmTopic } from './alarm-topic.ts'
import { reportedBy, sum, total } from './metric.ts'

type AlarmSettings = {
  readonly metric: IMetric
  /** Alarms at or above it; below it where missing data is breaching. */
  readonly threshold: number
  readonly periods: number
  readonly missing?: TreatMissingData
  readonly text: string
  readonly heading: string
}

export function createAlarms(
  scope: Construct,
  name: string,
  { http, functions, work }: { http: Api; functions: Record<LambdaName, IFunction>; work: EmbeddingQueue },
  settings: StageSettings,
): Alarm[] {
  const action = new SnsAction(createAlarmTopic(scope, settings))
  const minute = Duration.minutes(1)
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
    'dead-letters': {
      metric: work.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: minute }),
      threshold: 1,
      periods: 1,
      text: 'A message failed five deliveries: a bug, an unreachable database, or a Lambda that cannot start. No document is lost. Find the error in the log of the embedding Lambda, fix it, then redrive or purge the dead letters.',
      heading: 'dead-letters-and-redrive',
    },
    'lease-recoveries': {
      metric: total(name, 'LeaseRecoveries', Duration.minutes(15)),
      // One document that crashes every worker adds up to four in this time: 150 s of lease, and the sweeper runs each minute.
      threshold: 3,
      periods: 1,
      text: 'Workers crash while they process documents: the embedding Lambda runs out of time or memory, or loses the database. After five crashed attempts a document ends in error, without a dead letter. Check the log, and the documents with several attempts.',
      heading: 'lease-recoveries',
    },
    'oldest-message': {
      metric: work.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
      threshold: settings.oldestPendingSeconds,
      periods: 5,
      text: 'The queue is not draining. Check whether the embedding Lambda is running at all, then whether it is at its maximum concurrency.',
      heading: 'the-queue-grows',
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
    'embedding-errors': {
      metric: failureRate(
        functions.embedding.metricErrors({ period: five }),
        functions.embedding.metricInvocations({ period: five }),
        5,
      ),
      threshold: 5,
      periods: 2,
      text: 'At least 5 % of the invocations of the embedding Lambda fail: an exception, a time-out or out of memory. Check its log for the first error; roll back if a release went out just before.',
      heading: 'errors',
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
    'lambda-throttles': {
      metric: sum(
        'Throttles',
        Object.values(functions).map((lambda) => lambda.metricThrottles({ statistic: 'Sum', period: five })),
        five,
      ),
      threshold: 1,
      periods: 2,
      text: 'The account has reached its limit of concurrent Lambda executions. Request a higher quota, or lower embeddingConcurrency to leave room for the API.',
      heading: 'what-to-raise-first',
    },
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

/** The percentage of `all` that failed; zero below `minFailed`, as one failure in a quiet night is no outage. */
function failureRate(failed: IMetric, all: IMetric, minFailed: number): MathExpression {
  return new MathExpression({
    expression: `IF(failed >= ${minFailed}, 100 * failed / all, 0)`,
    usingMetrics: { failed, all },
    label: 'failed, %',
    period: Duration.minutes(5),
  })
}
