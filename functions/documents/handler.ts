import { SQSClient } from '@aws-sdk/client-sqs'
import { lambdaHandler } from '../../shared/api.ts'
import { required } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { sqsQueue } from '../../shared/queue.ts'
import { documentsApp } from './app.ts'

export const handler = lambdaHandler(
  documentsApp({ db: configuredDatabase(), queue: sqsQueue(new SQSClient(), required('QUEUE_URL')) }),
)
