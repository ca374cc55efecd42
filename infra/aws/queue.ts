import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { queue as settings } from '../wiring.ts'
import { acknowledge } from './rule-checks.ts'

/** Messages carry the organization as `MessageGroupId`: a fair queue, where a backlog of one does not delay the others. */
export class EmbeddingQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id)
    const protection = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
    this.deadLetters = new Queue(this, 'dead-letters', {
      ...protection,
      queueName: `${name}-dead-letters`,
      retentionPeriod: Duration.days(settings.deadLetterRetentionDays),
      redriveAllowPolicy: {
        redrivePermission: RedrivePermission.BY_QUEUE,
        sourceQueues: [Queue.fromQueueArn(this, 'source', queueArn(this, name))],
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

/** From the name: references in both directions between the two queues would be a circular dependency. */
function queueArn(scope: Construct, name: string): string {
  return Stack.of(scope).formatArn({ service: 'sqs', resource: name, arnFormat: ArnFormat.NO_RESOURCE_NAME })
}
