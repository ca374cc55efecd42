import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/documents/processing/attempt.ts'
import { type ModelMessage, parseMessage, parseModelMessage, type WorkMessage } from '../../shared/queue.ts'
import { changeModel } from './change-model.ts'
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
        consume<WorkMessage | ModelMessage>(
          pipeline.queue,
          record,
          (message) =>
            'agentId' in message
              ? changeModel(pipeline, message, remaining)
              : processDocument(pipeline, shared, message, remaining),
          (body) => parseMessage(body) ?? parseModelMessage(body),
        ),
      ),
    )
    const failed = Records.filter((_, i) => !done[i])
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
