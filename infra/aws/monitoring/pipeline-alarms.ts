import { Duration } from 'aws-cdk-lib'
import { MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { lambdaNames, type QueueName, queues, serving } from '../../wiring.ts'
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
    ...workerAlarms('embedding', work.embedding, functions.embedding, settings),
    ...workerAlarms('extraction', work.extraction, functions.extraction, settings),
    ...workerAlarms('crawler', work.crawler, functions.crawler, settings),
    'sources-failed': {
      metric: total(name, 'SourcesFailed', hour),
      threshold: 20,
      text: 'Twenty crawls or more have ended in error within an hour. One website that is down is its owner’s matter; many are a fault of the crawler or of its way to the internet. The error_message of the sources says which.',
      page: 'failed-sources',
    },
    'oldest-due-source': {
      metric: reportedBy(name, 'OldestDueSourceSeconds', 'sweeper', 'Maximum'),
      threshold: 7200,
      periods: 3,
      text: 'A source has been due for two hours without a crawl. Check the queue and the log of the crawler Lambda, and whether it is at its maximum concurrency.',
      page: 'failed-sources',
    },
    'lease-recoveries': {
      metric: total(name, 'LeaseRecoveries', Duration.minutes(15)),
      // One document that crashes every worker adds up to four in this time: 150 s of lease, and the sweeper runs each minute.
      threshold: 3,
      text: 'Workers crash while they process documents: the embedding or the extraction Lambda runs out of time or memory, or loses the database. After five crashed attempts a document ends in error, without a dead letter. Check the logs, and the documents with several attempts: their request_id is in the log.',
      page: 'stuck-documents',
    },
    'oldest-pending-document': {
      metric: reportedBy(name, 'OldestPendingSeconds', 'sweeper', 'Maximum'),
      threshold: settings.oldestPendingSeconds,
      periods: 3,
      text: 'A document has been waiting too long to become searchable. If it is one, check its row; if there are many, check the provider and the queue.',
      page: 'stuck-documents',
    },
    'documents-failed': {
      metric: total(name, 'DocumentsFailed', hour, ['embedding', 'sweeper']),
      threshold: 5,
      text: 'Five documents or more have ended in error within an hour: the provider rejects their text, or all attempts failed. Their error code tells which; fix the cause, then retry them.',
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
      text: 'One uploaded file in five cannot be read, of five that failed within an hour at least. Some files are broken or encrypted; many in a row are a fault of the extraction Lambda.',
      page: 'failed-documents',
    },
    'send-failures': {
      metric: total(name, 'SendFailures', five),
      threshold: 3,
      periods: 2,
      text: 'Messages cannot be sent to the queues. No document is lost, the sweeper sends again, but all wait. Check the status of SQS, then the policies of queues and roles.',
      page: 'stuck-documents',
    },
    'provider-errors': {
      metric: reportedBy(name, 'ProviderErrors', 'embedding', 'Sum', five),
      threshold: 10,
      periods: 3,
      text: 'The embedding provider fails for documents: time-outs, 5xx, or 429 above its quota. They are retried for 24 hours. Check its status page, its quota and provider_fault in the health of the system.',
      page: 'provider-outage',
    },
    'sweeper-silent': {
      metric: filled(functions.sweeper.metricInvocations({ statistic: 'Sum', period: minute }), minute),
      periods: 5,
      missing: TreatMissingData.BREACHING,
      text: 'The sweeper has not run for five minutes: lost messages and expired leases are not recovered, and waiting documents are not measured. Check its schedule and the role of the schedule.',
      page: 'stuck-documents',
    },
    'sweeper-errors': {
      metric: functions.sweeper.metricErrors({ statistic: 'Sum', period: five }),
      threshold: 3,
      text: 'Most runs of the sweeper fail, or one kind of its work does in each. not_swept in its log gives kind and reason; of all kinds, the database usually rejects its login.',
      page: 'stuck-documents',
    },
    'deliveries-late': {
      metric: reportedBy(name, 'OldestDeliverySeconds', 'delivery', 'Maximum', five),
      threshold: settings.oldestPendingSeconds,
      periods: 2,
      missing: TreatMissingData.BREACHING,
      text: 'An event for a webhook that answers has been due for too long, or the delivery Lambda has reported nothing. Check its schedule and its log; if one receiver is slow, that one alone waits.',
      page: 'late-deliveries',
    },
    'worker-throttles': throttlesOf(working.map((lambda) => functions[lambda])),
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
      text: `A message failed five deliveries: a bug, an unreachable database, or a Lambda that cannot start. No document is lost. Find the error in the log of the ${name} Lambda, fix it, then redrive or purge the dead letters.`,
      page: 'queue-grows',
    },
    [`${prefix}oldest-message`]: {
      metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
      // A message that one delivery failed is hidden for so long.
      threshold: Math.max(settings.oldestPendingSeconds, queues[name].visibilityTimeoutSeconds + 60),
      periods: 5,
      text: `The ${name} queue is not draining. Check whether the ${name} Lambda is running at all, then whether it is at its maximum concurrency.`,
      page: 'queue-grows',
    },
    [`${name}-errors`]: {
      metric: failureRate(lambda.metricErrors({ period: five }), lambda.metricInvocations({ period: five }), five),
      threshold: 5,
      periods: 2,
      text: `At least 5 % of the invocations of the ${name} Lambda fail: an exception, a time-out or out of memory. Check its log for the first error; roll back if a release went out just before.`,
      page: 'errors',
    },
  }
}
