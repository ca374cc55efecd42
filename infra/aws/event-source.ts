import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { type QueueName, queues } from '../wiring.ts'
import { acknowledge } from './rule-checks.ts'

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
