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
import { figure, sum, total } from './metric.ts'

type AlarmSettings = {
  readonly metric: IMetric
  /** Rings at or above this. */
  readonly threshold: number
  /** How many periods of the metric in a row. */
  readonly periods: number
  readonly missing?: TreatMissingData
  /** What it means and the first thing to do, in two sentences. */
  readonly text: string
  /** The heading of the runbook that says the rest. */
  readonly heading: string
}

/** Every way in which the system can need a person, each with what that person should do. */
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
      text: 'A message was delivered five times in vain: by a fault of ours, without the database, or to a Lambda that cannot start. No document is lost: find the error in its log, mend it, then redrive or drop the message.',
      heading: 'dead-letters-and-redrive',
    },
    'lease-recoveries': {
      metric: total(name, 'LeaseRecoveries', Duration.minutes(15)),
      // One document that kills every worker makes four in this time: its lease is 150 s, and the sweeper comes each minute.
      threshold: 3,
      periods: 1,
      text: 'The embedding Lambda leaves documents unfinished: it runs out of time or memory, or loses the database. After five such attempts a document ends in error, without a dead letter; look at the log and at the rows with several attempts.',
      heading: 'lease-recoveries',
    },
    'oldest-message': {
      metric: work.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
      threshold: settings.oldestPendingSeconds,
      periods: 5,
      text: 'The queue is not being emptied. See whether the embedding Lambda runs at all, then whether its concurrency is used up.',
      heading: 'the-queue-grows',
    },
    'oldest-pending-document': {
      metric: figure(name, 'OldestPendingSeconds', 'sweeper', 'Maximum'),
      threshold: settings.oldestPendingSeconds,
      periods: 3,
      text: 'A document has been waiting too long to become searchable. One document: look at its row; many: look at the provider and the queue.',
      heading: 'a-stuck-document',
    },
    'sweeper-silent': {
      metric: functions.sweeper.metricInvocations({ statistic: 'Sum', period: five }),
      threshold: 1,
      periods: 1,
      missing: TreatMissingData.BREACHING,
      text: 'The sweeper has not run for five minutes, so lost sends and crashed work are not recovered and waiting documents are not measured. See its schedule and its role.',
      heading: 'the-sweeper-is-silent',
    },
    'sweeper-errors': {
      metric: functions.sweeper.metricErrors({ statistic: 'Sum', period: five }),
      threshold: 3,
      periods: 1,
      text: 'The sweeper fails on most runs. Its log names the reason; the database refusing its role is the usual one.',
      heading: 'the-sweeper-is-silent',
    },
    'embedding-errors': {
      metric: rate(
        functions.embedding.metricErrors({ period: five }),
        functions.embedding.metricInvocations({ period: five }),
        5,
      ),
      threshold: 5,
      periods: 2,
      text: 'More than 5 % of the runs of the embedding Lambda crash or run out of time or memory. Open its log at the first error; roll back if a release came just before.',
      heading: 'errors',
    },
    'api-errors': {
      metric: rate(http.api.metricServerError({ period: five }), http.api.metricCount({ period: five }), 5),
      threshold: 1,
      periods: 2,
      text: 'More than 1 % of the requests end in a 5xx. The access log says which route, its Lambda log says why; roll back if a release came just before.',
      heading: 'errors',
    },
    'provider-refused': {
      metric: total(name, 'ProviderKeyRejected', five),
      threshold: 1,
      periods: 1,
      text: 'The embedding provider refuses our key (401, 403) or our address or model (404 and the like), so nothing is embedded and text searches fail; documents stay pending for 24 hours. Put a valid key into the secret, or mend the provider of the stage.',
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
      text: 'The account has run out of concurrent Lambdas. Ask for a higher quota, or lower embeddingConcurrency to leave room for the API.',
      heading: 'what-to-raise-first',
    },
    'requests-throttled': {
      metric: throttledRequests.metric({ statistic: 'Sum', period: five }),
      threshold: 100,
      periods: 2,
      text: 'Callers are refused with 429. One caller: talk to them; all: raise the throttle of the stage.',
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

/** The percentage of `failed` in `all`, zero while fewer than `least` failed: one failure in a quiet night is no outage. */
function rate(failed: IMetric, all: IMetric, least: number): MathExpression {
  return new MathExpression({
    expression: `IF(failed >= ${least}, 100 * failed / all, 0)`,
    usingMetrics: { failed, all },
    label: 'failed, per cent',
    period: Duration.minutes(5),
  })
}
