import * as v from 'valibot'
import { callAws } from './aws/json-call.ts'
import type { Signer } from './aws/signing.ts'
import { config, required } from './config.ts'
import {
  type AgentId,
  agentId,
  type DocumentId,
  documentId,
  type OrganizationId,
  organizationId,
  type SourceId,
  sourceId,
} from './ids.ts'
import { describeError, log } from './telemetry/log.ts'
import { report } from './telemetry/metrics.ts'
import { inTime } from './time/deadline.ts'
import { Unavailable } from './unavailable.ts'

const common = {
  v: v.literal(1),
  organization_id: organizationId,
  request_id: v.optional(v.string()),
  api_key_id: v.optional(v.string()),
}
const message = v.object({ ...common, document_id: documentId })
const checked = v.object({
  version: v.string(),
  results: v.array(v.object({ id: v.string(), passed: v.boolean(), rank: v.nullable(v.number()) })),
})
const modelMessage = v.object({ ...common, agent_id: agentId, checked: v.optional(checked) })
const crawlMessage = v.object({ ...common, source_id: sourceId })

/** Ids only, so the order, age and number of messages do not matter. */
export interface WorkMessage extends Origin {
  organizationId: OrganizationId
  documentId: DocumentId
  awaitsText?: boolean | undefined
}

/** A source that is due. */
export interface CrawlMessage extends Origin {
  organizationId: OrganizationId
  sourceId: SourceId
}

/** An agent whose change of model has work to do. */
export interface ModelMessage extends Origin {
  organizationId: OrganizationId
  agentId: AgentId
  checked?: Checked | undefined
}

/** The checks' results under the next model in an unfinished check. They hold while the agent's knowledge has this version. */
export type Checked = v.InferOutput<typeof checked>

export type Message = WorkMessage | CrawlMessage | ModelMessage

/** The request that caused the work, for the logs. Work that an operator caused has none. */
export interface Origin {
  requestId?: string | null | undefined
  /** The id of the key, or of the person. */
  by?: string | null | undefined
}

/** The origin that a row of work stores. */
export function originOf(row: { request_id: string | null; requested_by: string | null }): Origin {
  return { requestId: row.request_id, by: row.requested_by }
}

export interface Queue<Work extends Message = WorkMessage> {
  /** @throws Unavailable when the queue does not accept the message within two seconds */
  send(work: Work, delaySeconds?: number): Promise<void>
  /** Redelivers a received message, which the caller reports as failed, after this time. @throws Unavailable */
  changeVisibility(receiptHandle: string, afterSeconds: number): Promise<void>
}

export type Sender<Work extends Message = WorkMessage> = Pick<Queue<Work>, 'send'>

/** The limit of one attempt: a socket that died in a Lambda's freeze leaves time for another. */
const attemptMilliseconds = 1_000
const deadlineMilliseconds = 2_000

/** The queue of the documents that await embedding, of the files whose text awaits extraction, or of the sources that are due. */
export function configuredQueue(setting: `${'' | 'EXTRACTION_' | 'CRAWLER_'}QUEUE_URL` = 'QUEUE_URL'): Queue<Message> {
  return sqsQueue(required(setting))
}

export function routedQueue(queues: { embedding: Sender; extraction: Sender }): Sender {
  return {
    send: (work, delaySeconds) => queues[work.awaitsText ? 'extraction' : 'embedding'].send(work, delaySeconds),
  }
}

export function configuredRoutedQueue(): Sender {
  return routedQueue({ embedding: configuredQueue(), extraction: configuredQueue('EXTRACTION_QUEUE_URL') })
}

export const maxDelaySeconds = 900

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
export function sqsQueue(url: string, signer?: () => Signer | Promise<Signer>): Queue<Message> {
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
  const body = {
    v: 1,
    organization_id: work.organizationId,
    ...subjectOf(work),
    ...('checked' in work && { checked: work.checked }),
    ...(work.requestId && { request_id: work.requestId }),
    ...(work.by && { api_key_id: work.by }),
  }
  return {
    Id: String(place),
    MessageBody: JSON.stringify(body),
    MessageGroupId: work.organizationId,
    ...(delaySeconds > 0 && { DelaySeconds: Math.min(Math.ceil(delaySeconds), maxDelaySeconds) }),
  }
}

/** Logs and counts a failure, since the row still says that there is work to do. @returns true if it was sent */
export async function sendOrLog<Work extends Message>(
  queue: Sender<Work>,
  work: Work,
  delaySeconds = 0,
): Promise<boolean> {
  try {
    await queue.send(work, delaySeconds)
    return true
  } catch (error) {
    report({ SendFailures: 1 })
    log.warn('send_failed', { ...idsOf(work), error: describeError(error) })
    return false
  }
}

export function idsOf(work: Message) {
  return {
    request_id: work.requestId,
    organization_id: work.organizationId,
    api_key_id: work.by,
    ...subjectOf(work),
  }
}

function subjectOf(work: Message) {
  if ('documentId' in work) return { document_id: work.documentId }
  return 'sourceId' in work ? { source_id: work.sourceId } : { agent_id: work.agentId }
}

export function parseMessage(body: string): WorkMessage | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), message), body)
  if (!result.success) return undefined
  const { organization_id, document_id, request_id, api_key_id } = result.output
  return { organizationId: organization_id, documentId: document_id, requestId: request_id, by: api_key_id }
}

export function parseModelMessage(body: string): ModelMessage | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), modelMessage), body)
  if (!result.success) return undefined
  const { organization_id, agent_id, checked } = result.output
  return { organizationId: organization_id, agentId: agent_id, checked }
}

export function parseCrawlMessage(body: string): CrawlMessage | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), crawlMessage), body)
  if (!result.success) return undefined
  const { organization_id, source_id, request_id, api_key_id } = result.output
  return { organizationId: organization_id, sourceId: source_id, requestId: request_id, by: api_key_id }
}
