import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as v from 'valibot'
import { Unavailable } from './errors.ts'
import { type DocumentId, documentId, type OrganizationId, organizationId } from './ids.ts'

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
  }
}

/** Reads a message body; undefined when it is none of ours. */
export function parseMessage(body: string): WorkMessage | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), message), body)
  if (!result.success) return undefined
  const { organization_id, document_id, request_id } = result.output
  return { organizationId: organization_id, documentId: document_id, requestId: request_id }
}
