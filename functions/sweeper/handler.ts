import { SQSClient } from '@aws-sdk/client-sqs'
import { required } from '../../shared/config.ts'
import { configuredDatabase } from '../../shared/database.ts'
import { sqsQueue } from '../../shared/queue.ts'
import { sweep } from './sweep.ts'

const db = configuredDatabase(40)
const queue = sqsQueue(new SQSClient(), required('QUEUE_URL'))

export const handler = () => sweep(db, queue)
