import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda'
import { type IQueue, Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { type QueueName, queues } from '../wiring.ts'
import { acknowledge } from './rule-checks.ts'

/** A fair queue: messages carry the organization as `MessageGroupId`, so that one's backlog does not delay the others. */
export class WorkQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue

  constructor(scope: Construct, work: QueueName, stack: string) {
    super(scope, `${work}-queue`)
    const settings = queues[work]
    const name = `${stack}-${work}`
    const arn = Stack.of(this).formatArn({ service: 'sqs', resource: name, arnFormat: ArnFormat.NO_RESOURCE_NAME })
    const protection = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
    this.deadLetters = new Queue(this, 'dead-letters', {
      ...protection,
      queueName: `${name}-dead-letters`,
      retentionPeriod: Duration.days(settings.deadLetterRetentionDays),
      redriveAllowPolicy: {
        redrivePermission: RedrivePermission.BY_QUEUE,
        // Built from the name, because the two queues refer to each other.
        sourceQueues: [Queue.fromQueueArn(this, 'source', arn)],
      },
    })
    this.queue = new Queue(this, 'queue', {
      ...protection,
      queueName: name,
      visibilityTimeout: Duration.seconds(settings.visibilityTimeoutSeconds),
      retentionPeriod: Duration.days(settings.retentionDays),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: settings.maxReceiveCount },
    })
    acknowledge(this.deadLetters, {
      'Serverless-SQSRedrivePolicy': 'This is the dead-letter queue: its messages wait for the operator.',
    })
  }
}

export function addEventSource(
  scope: Construct,
  work: QueueName,
  queue: IQueue,
  target: IFunction,
  maximumConcurrency: number,
): void {
  const mapping = new EventSourceMapping(scope, `${work}-event-source`, {
    eventSourceArn: queue.queueArn,
    target,
    batchSize: queues[work].batchSize,
    reportBatchItemFailures: true,
    // Limits the pollers, so that excess messages stay in the queue instead of being throttled into dead letters.
    maxConcurrency: maximumConcurrency,
  })
  acknowledge(mapping, {
    'Serverless-LambdaEventSourceMappingDestination':
      'On-failure destinations are for streams: the redrive policy of the queue moves failed messages to the dead letters.',
  })
}
