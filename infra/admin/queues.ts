import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Sender } from '../../shared/work/outbox.ts'
import { routedQueue, sqsQueue } from '../../shared/work/sqs-queue.ts'
import { localAws } from '../data-directory/address.ts'

/** The environment's `QUEUE_URL`, `DEAD_LETTER_QUEUE_URL`, and the same with `EXTRACTION_` and `CRAWLER_`. */
export type QueueUrls = Readonly<Record<string, string | undefined>>

export type Queues = ReturnType<typeof openQueues>

/** Operations on unknown queues are undefined. @param endpoint the local SQS; without it, AWS with the environment's credentials */
export function openQueues(urls: QueueUrls, endpoint?: string) {
  const sqs = new SQSClient({
    ...(endpoint && { endpoint, ...localAws }),
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  })
  const signer = async () => ({ region: await sqs.config.region(), ...(await sqs.config.credentials()) })
  const sender = (setting: string): Sender => {
    const url = urls[setting]
    return url ? sqsQueue(url, signer) : { send: () => Promise.reject(new Error(`${setting} is not set`)) }
  }
  const pairs = [
    { from: urls.DEAD_LETTER_QUEUE_URL, to: urls.QUEUE_URL },
    { from: urls.EXTRACTION_DEAD_LETTER_QUEUE_URL, to: urls.EXTRACTION_QUEUE_URL },
    { from: urls.CRAWLER_DEAD_LETTER_QUEUE_URL, to: urls.CRAWLER_QUEUE_URL },
  ]
  const deadLetters = pairs.flatMap(({ from }) => from ?? [])
  const redrives = pairs.flatMap(({ from, to }) => (from && to ? [() => moveMessages(sqs, from, to)] : []))
  return {
    work:
      urls.QUEUE_URL || urls.EXTRACTION_QUEUE_URL
        ? routedQueue({ embedding: sender('QUEUE_URL'), extraction: sender('EXTRACTION_QUEUE_URL') })
        : undefined,
    countDeadLetters:
      deadLetters.length > 0 ? () => sumOf(deadLetters.map((url) => countMessages(sqs, url))) : undefined,
    redrive: redrives.length > 0 ? () => sumOf(redrives.map((move) => move())) : undefined,
  }
}

async function sumOf(counts: Promise<number>[]): Promise<number> {
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
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

/** An interrupted move leaves a message in both queues, which is harmless. @returns the number of moved messages */
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
