import { callAws } from '../aws/json-call.ts'
import type { Signer } from '../aws/signing.ts'
import { config, required } from '../config.ts'
import { inTime } from '../time/deadline.ts'
import { Unavailable } from '../unavailable.ts'
import { bodyOf, type Message } from './message.ts'
import type { Queue, Sender } from './outbox.ts'

/** The limit of one attempt: a socket that died in a Lambda's freeze leaves time for another. */
const attemptMilliseconds = 1_000
const deadlineMilliseconds = 2_000

/** The setting with the URL of each Lambda's queue. */
export const queueSettings = {
  embedding: 'QUEUE_URL',
  extraction: 'EXTRACTION_QUEUE_URL',
  crawler: 'CRAWLER_QUEUE_URL',
} as const

type QueueName = keyof typeof queueSettings

export function configuredQueue(name: QueueName): Queue {
  return sqsQueue(required(queueSettings[name]))
}

/** @param names the queues to which the Lambda sends */
export function configuredSender(...names: QueueName[]): Sender {
  return routedQueue(Object.fromEntries(names.map((name) => [name, configuredQueue(name)])))
}

/** Sends each message to the queue of the Lambda that does the work. */
export function routedQueue(queues: { readonly [Name in QueueName]?: Sender }): Sender {
  return {
    send: async (work, delaySeconds) => await queues[queueOf(work)]!.send(work, delaySeconds),
  }
}

function queueOf({ kind, awaitsText }: Message): QueueName {
  if (kind === 'source') return 'crawler'
  return awaitsText ? 'extraction' : 'embedding'
}

const maxDelaySeconds = 900

interface Sending {
  work: Message
  delaySeconds: number
  sent: PromiseWithResolvers<void>
}

interface BatchResult {
  Failed?: { Id: string; Code: string; Message?: string }[]
}

const maxPerBatch = 10

/** Messages that are sent at the same moment share a request, ten at most. */
export function sqsQueue(url: string, signer?: () => Signer | Promise<Signer>): Queue {
  const call = (operation: string, input: object) =>
    inTime('queue', deadlineMilliseconds, (signal) =>
      callAws({
        service: 'sqs',
        url: config().AWS_ENDPOINT_URL_SQS ?? new URL(url).origin,
        target: `AmazonSQS.${operation}`,
        version: '1.0',
        input: { QueueUrl: url, ...input },
        signal,
        attemptMilliseconds,
        signer,
      }),
    )
  let waiting: Sending[] = []

  function flush(): void {
    const sendings = waiting
    waiting = []
    for (let start = 0; start < sendings.length; start += maxPerBatch)
      void sendBatch(sendings.slice(start, start + maxPerBatch))
  }

  async function sendBatch(sendings: Sending[]): Promise<void> {
    try {
      const { Failed = [] } = (await call('SendMessageBatch', { Entries: sendings.map(toEntry) })) as BatchResult
      for (const { Id, Code, Message } of Failed)
        sendings[Number(Id)]?.sent.reject(new Unavailable('queue', new Error(`${Code}: ${Message}`)))
      // Has no effect on those that failed.
      for (const { sent } of sendings) sent.resolve()
    } catch (error) {
      for (const { sent } of sendings) sent.reject(error)
    }
  }

  return {
    send(work, delaySeconds = 0) {
      if (waiting.length === 0) queueMicrotask(flush)
      const sent = Promise.withResolvers<void>()
      waiting.push({ work, delaySeconds, sent })
      return sent.promise
    },
    async changeVisibility(receiptHandle, afterSeconds) {
      await call('ChangeMessageVisibility', {
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: Math.ceil(afterSeconds),
      })
    },
  }
}

/** The organization is the message group: SQS's fair queues keep one backlog from delaying the others. */
function toEntry({ work, delaySeconds }: Sending, place: number) {
  return {
    Id: String(place),
    MessageBody: bodyOf(work),
    MessageGroupId: work.organizationId,
    ...(delaySeconds > 0 && { DelaySeconds: Math.min(Math.ceil(delaySeconds), maxDelaySeconds) }),
  }
}
