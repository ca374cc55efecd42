import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { QueueName } from '../../wiring.ts'
import type { WorkQueue } from '../queue.ts'
import type { StageSettings } from '../stages.ts'
import type { AlarmSettings } from './alarm-settings.ts'
import { failureRate } from './metric.ts'

/** Alarms for a queue and the Lambda that consumes it. */
export function workerAlarms(
  name: QueueName,
  { queue, deadLetters }: WorkQueue,
  lambda: IFunction,
  settings: StageSettings,
): Record<string, AlarmSettings> {
  const minute = Duration.minutes(1)
  const five = Duration.minutes(5)
  const prefix = name === 'embedding' ? '' : `${name}-`
  return {
    [`${prefix}dead-letters`]: {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: minute }),
      threshold: 1,
      periods: 1,
      text: `A message failed five deliveries: a bug, an unreachable database, or a Lambda that cannot start. No document is lost. Find the error in the log of the ${name} Lambda, fix it, then redrive or purge the dead letters.`,
      heading: 'dead-letters-and-redrive',
    },
    [`${prefix}oldest-message`]: {
      metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
      threshold: settings.oldestPendingSeconds,
      periods: 5,
      text: `The ${name} queue is not draining. Check whether the ${name} Lambda is running at all, then whether it is at its maximum concurrency.`,
      heading: 'the-queue-grows',
    },
    [`${name}-errors`]: {
      metric: failureRate(lambda.metricErrors({ period: five }), lambda.metricInvocations({ period: five }), 5),
      threshold: 5,
      periods: 2,
      text: `At least 5 % of the invocations of the ${name} Lambda fail: an exception, a time-out or out of memory. Check its log for the first error; roll back if a release went out just before.`,
      heading: 'errors',
    },
  }
}
