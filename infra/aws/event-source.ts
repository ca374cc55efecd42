import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { queue as settings } from '../wiring.ts'
import { acknowledge } from './nag.ts'

/** Lambda polls the queue for us. A record that fails is the only one of its batch to come back. */
export function addEventSource(scope: Construct, queue: IQueue, target: IFunction, maximumConcurrency: number): void {
  const mapping = new EventSourceMapping(scope, 'event-source', {
    eventSourceArn: queue.queueArn,
    target,
    batchSize: settings.batchSize,
    reportBatchItemFailures: true,
    // Bounds the pollers themselves, so that messages above it stay visible instead of being throttled into dead letters.
    maxConcurrency: maximumConcurrency,
  })
  acknowledge(mapping, {
    'Serverless-LambdaEventSourceMappingDestination':
      'Destinations are for streams: what fails here goes to the dead letters through the redrive policy of the queue.',
  })
}
