import type { Context, SQSEvent } from 'aws-lambda'
import { consume } from '../../shared/work/consume.ts'
import { changeModel } from './change-model.ts'
import { type Pipeline, processDocument } from './process-document.ts'
import { sharedRequests } from './shared-requests.ts'

export const consumer =
  (pipeline: Pipeline) =>
  ({ Records }: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => {
    const remaining = () => context.getRemainingTimeInMillis()
    const shared = sharedRequests(pipeline)
    return consume(pipeline.queue, Records, {
      document: (message) => processDocument(pipeline, shared, message, remaining),
      agent: (message) => changeModel(pipeline, message, remaining),
    })
  }
