import { Duration } from 'aws-cdk-lib'
import { MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { lambdaNames, type QueueName, queueNames, queues, serving } from '../../wiring.ts'
import type { WorkQueue } from '../queue.ts'
import type { StageSettings } from '../stages.ts'
import { type AlarmSettings, failureRate, filled, reportedBy, throttlesOf, total, type Watched } from './metric.ts'

const minute = Duration.minutes(1)
const five = Duration.minutes(5)
const hour = Duration.hours(1)
const working = lambdaNames.filter((name) => !serving.includes(name))

export function pipelineAlarms(
  name: string,
  { functions, work }: Watched,
  settings: StageSettings,
): Record<string, AlarmSettings> {
  return {
    ...Object.assign({}, ...queueNames.map((queue) => workerAlarms(queue, work[queue], functions[queue], settings))),
    'sources-failed': {
      metric: total(name, 'SourcesFailed', hour),
      threshold: 20,
      text: 'At least twenty crawls have ended in error within an hour.',
      page: 'failed-sources',
    },
    'oldest-due-source': {
      metric: reportedBy(name, 'OldestDueSourceSeconds', 'sweeper', 'Maximum'),
      threshold: 7200,
      periods: 3,
      text: 'A source has been due for two hours without a crawl.',
      page: 'failed-sources',
    },
    'lease-recoveries': {
      metric: total(name, 'LeaseRecoveries', Duration.minutes(15)),
      // A document that crashes every worker adds up to four in this time: its lease is 150 s, and the sweeper runs every minute.
      threshold: 3,
      text: 'The embedding or the extraction Lambda crashes while it processes documents.',
      page: 'stuck-documents',
    },
    'oldest-pending-document': {
      metric: reportedBy(name, 'OldestPendingSeconds', 'sweeper', 'Maximum'),
      threshold: settings.oldestPendingSeconds,
      periods: 3,
      text: 'A document has been waiting too long to become searchable.',
      page: 'stuck-documents',
    },
    'documents-failed': {
      metric: total(name, 'DocumentsFailed', hour, ['embedding', 'sweeper']),
      threshold: 5,
      text: 'At least five documents have ended in error within an hour.',
      page: 'failed-documents',
    },
    'extraction-failures': {
      metric: new MathExpression({
        expression: 'IF(failed >= 5, 100 * failed / (failed + FILL(extracted, 0)), 0)',
        usingMetrics: {
          failed: reportedBy(name, 'DocumentsFailed', 'extraction', 'Sum', hour),
          extracted: reportedBy(name, 'FilesExtracted', 'extraction', 'Sum', hour),
        },
        label: 'files that failed, %',
        period: hour,
      }),
      threshold: 20,
      text: 'At least one in five of the files uploaded within an hour cannot be read.',
      page: 'failed-documents',
    },
    'send-failures': {
      metric: total(name, 'SendFailures', five),
      threshold: 3,
      periods: 2,
      text: 'Messages cannot be sent to the queues, so documents wait until the sweeper sends again.',
      page: 'stuck-documents',
    },
    'provider-errors': {
      metric: reportedBy(name, 'ProviderErrors', 'embedding', 'Sum', five),
      threshold: 10,
      periods: 3,
      text: 'The embedding provider fails for documents, which are retried for 24 hours.',
      page: 'provider-outage',
    },
    'sweeper-silent': {
      metric: filled(functions.sweeper.metricInvocations({ statistic: 'Sum', period: minute }), minute),
      periods: 5,
      missing: TreatMissingData.BREACHING,
      text: 'The sweeper has not run for five minutes, so lost messages and expired leases are not recovered.',
      page: 'stuck-documents',
    },
    'sweeper-errors': {
      metric: functions.sweeper.metricErrors({ statistic: 'Sum', period: five }),
      threshold: 3,
      text: 'Most of the sweeper’s runs fail, or one kind of its work fails in every run.',
      page: 'stuck-documents',
    },
    'deliveries-late': {
      metric: reportedBy(name, 'OldestDeliverySeconds', 'delivery', 'Maximum', five),
      threshold: settings.oldestPendingSeconds,
      periods: 2,
      missing: TreatMissingData.BREACHING,
      text: 'An event for a working webhook has been due for too long, or the delivery Lambda has stopped reporting.',
      page: 'late-deliveries',
    },
    'worker-throttles': throttlesOf([...working, 'connect' as const].map((lambda) => functions[lambda])),
  }
}

function workerAlarms(
  name: QueueName,
  { queue, deadLetters }: WorkQueue,
  lambda: IFunction,
  settings: StageSettings,
): Record<string, AlarmSettings> {
  const prefix = name === 'embedding' ? '' : `${name}-`
  return {
    [`${prefix}dead-letters`]: {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: minute }),
      text: `A message of the ${name} queue failed five deliveries.`,
      page: 'queue-grows',
    },
    [`${prefix}oldest-message`]: {
      metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
      // The queue hides a message for this long after a failed delivery.
      threshold: Math.max(settings.oldestPendingSeconds, queues[name].visibilityTimeoutSeconds + 60),
      periods: 5,
      text: `The ${name} queue is not draining.`,
      page: 'queue-grows',
    },
    [`${name}-errors`]: {
      metric: failureRate(lambda.metricErrors({ period: five }), lambda.metricInvocations({ period: five }), five),
      threshold: 5,
      periods: 2,
      text: `At least 5 % of the invocations of the ${name} Lambda fail.`,
      page: 'errors',
    },
  }
}
