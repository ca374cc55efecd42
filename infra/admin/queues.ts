import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { sqsQueue } from '../../shared/queue.ts'
import { region } from '../local/lambda.ts'
import type { QueueAddresses } from './connection.ts'

const localAccess = { region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

export type Queues = ReturnType<typeof openQueues>

export function openQueues({ endpoint, queueUrl, deadLetterQueueUrl }: QueueAddresses) {
  const sqs = new SQSClient({
    ...(endpoint && { endpoint, ...localAccess }),
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  })
  return {
    work: queueUrl ? sqsQueue(sqs, queueUrl) : undefined,
    countDeadLetters: deadLetterQueueUrl ? () => countMessages(sqs, deadLetterQueueUrl) : undefined,
    redrive: queueUrl && deadLetterQueueUrl ? () => moveMessages(sqs, deadLetterQueueUrl, queueUrl) : undefined,
  }
}

async function countMessages(sqs: SQSClient, url: string): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  )
  return (
    Number(Attributes?.ApproximateNumberOfMessages ?? 0) +
    Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0)
  )
}

/** An interrupted move leaves a message in both queues, which is harmless. @returns how many were moved */
async function moveMessages(sqs: SQSClient, from: string, to: string): Promise<number> {
  for (let moved = 0; ; ) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: from,
        MaxNumberOfMessages: 10,
        // Long polling queries all of SQS's servers, so that an empty response means an empty queue.
        WaitTimeSeconds: 1,
        VisibilityTimeout: 30,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return moved
    await Promise.all(Messages.map((message) => moveMessage(sqs, message, from, to)))
    moved += Messages.length
  }
}

async function moveMessage(sqs: SQSClient, message: Message, from: string, to: string) {
  const MessageGroupId = message.Attributes?.MessageGroupId
  await sqs.send(
    new SendMessageCommand({ QueueUrl: to, MessageBody: message.Body, ...(MessageGroupId && { MessageGroupId }) }),
  )
  await sqs.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: message.ReceiptHandle }))
}
