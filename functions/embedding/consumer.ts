import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/documents/attempt.ts'
import { type Pipeline, processDocument } from './process-document.ts'
import { sharedRequests } from './shared-requests.ts'

export function consumer(pipeline: Pipeline) {
  return async (
    { Records }: SQSEvent,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<SQSBatchResponse> => {
    const remaining = () => context.getRemainingTimeInMillis()
    const shared = sharedRequests(pipeline)
    const done = await Promise.all(
      Records.map((record) =>
        consume(pipeline.queue, record, (message) => processDocument(pipeline, shared, message, remaining)),
      ),
    )
    const failed = Records.filter((_, i) => !done[i])
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
