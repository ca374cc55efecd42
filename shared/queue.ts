import type { SQSClient } from '@aws-sdk/client-sqs'
import * as v from 'valibot'
import { required } from './config.ts'
import { Unavailable } from './errors.ts'
import { type DocumentId, documentId, type OrganizationId, organizationId } from './ids.ts'
import { describeError, log } from './log.ts'
import { report } from './metrics.ts'

const message = v.object({
  v: v.literal(1),
  organization_id: organizationId,
  document_id: documentId,
  request_id: v.optional(v.string()),
})

/** Says that a document has work to do: ids only, so order, age and number of messages do not matter. */
export interface WorkMessage {
  organizationId: OrganizationId
  documentId: DocumentId
  /** Of the API request that caused the work; follows it through the logs. */
  requestId?: string | undefined
}

export interface Queue {
  /** @throws Unavailable when the queue does not take the message */
  send(work: WorkMessage, delaySeconds?: number): Promise<void>
  /**
   * Has a message that was received, and will be reported as failed, come again sooner than its visibility time-out.
   * @throws Unavailable
   */
  comeAgain(receiptHandle: string, afterSeconds: number): Promise<void>
}

/** What those need that only send. */
export type Sender = Pick<Queue, 'send'>

/** Not loaded before it is needed: it takes as long as all the rest of a cold start, and most requests send nothing. */
const sdk = () => import('@aws-sdk/client-sqs')

/** The queue that the environment names. */
export function configuredQueue(): Queue {
  const url = required('QUEUE_URL')
  let opened: Promise<Queue> | undefined
  const open = () => {
    opened ??= sdk().then(({ SQSClient }) => sqsQueue(new SQSClient(), url))
    return opened
  }
  return {
    send: async (...work) => (await open()).send(...work),
    comeAgain: async (...message) => (await open()).comeAgain(...message),
  }
}

/** Longest delay that SQS offers, in seconds. */
export const longestDelay = 900

/** The SQS queue at `url`. The organization is the message group: SQS's fair queues keep one's backlog from the others. */
export function sqsQueue(sqs: SQSClient, url: string): Queue {
  return {
    async send(work, delaySeconds = 0) {
      const body = {
        v: 1,
        organization_id: work.organizationId,
        document_id: work.documentId,
        ...(work.requestId && { request_id: work.requestId }),
      }
      try {
        const { SendMessageCommand } = await sdk()
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: url,
            MessageBody: JSON.stringify(body),
            MessageGroupId: work.organizationId,
            ...(delaySeconds > 0 && { DelaySeconds: Math.min(Math.ceil(delaySeconds), longestDelay) }),
          }),
        )
      } catch (error) {
        throw new Unavailable('queue', error)
      }
    },
    async comeAgain(receiptHandle, afterSeconds) {
      const VisibilityTimeout = Math.ceil(afterSeconds)
      try {
        const { ChangeMessageVisibilityCommand } = await sdk()
        await sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receiptHandle, VisibilityTimeout }),
        )
      } catch (error) {
        throw new Unavailable('queue', error)
      }
    },
  }
}

/** Sends; a failure is counted and logged, not thrown: false. The document's row knows that it has work to do. */
export async function trySend(queue: Sender, work: WorkMessage, delaySeconds = 0): Promise<boolean> {
  try {
    await queue.send(work, delaySeconds)
    return true
  } catch (error) {
    report({ SendFailures: 1 })
    log.warn('send_failed', {
      request_id: work.requestId,
      organization_id: work.organizationId,
      document_id: work.documentId,
      error: describeError(error),
    })
    return false
  }
}

/** Reads a message body; undefined when it is none of ours. */
export function parseMessage(body: string): WorkMessage | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), message), body)
  if (!result.success) return undefined
  const { organization_id, document_id, request_id } = result.output
  return { organizationId: organization_id, documentId: document_id, requestId: request_id }
}
