import type { buildApp } from 'fauxqs'

interface Batch {
  MessageGroupId?: string
  Entries?: { Id: string; MessageGroupId?: string }[]
}
interface Answer {
  MessageId?: string
  Successful?: { Id: string; MessageId: string }[]
  Messages?: { MessageId: string; Attributes?: Record<string, string> }[]
}

/**
 * Gives messages of a standard queue their `MessageGroupId` back on receipt: fauxqs 1.9 keeps it on FIFO queues alone,
 * where SQS keeps it on both (fair queues).
 */
export function keepMessageGroups(app: ReturnType<typeof buildApp>): void {
  const groups = new Map<string, string>()
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const answer = payload as Answer
    const action = request.headers['x-amz-target']
    if (action === 'AmazonSQS.SendMessage' || action === 'AmazonSQS.SendMessageBatch') {
      const { MessageGroupId, Entries = [] } = request.body as Batch
      if (answer.MessageId && MessageGroupId) groups.set(answer.MessageId, MessageGroupId)
      for (const { Id, MessageId } of answer.Successful ?? []) {
        const group = Entries.find((entry) => entry.Id === Id)?.MessageGroupId
        if (group) groups.set(MessageId, group)
      }
    }
    if (action === 'AmazonSQS.ReceiveMessage') {
      for (const { MessageId, Attributes } of answer.Messages ?? []) {
        const group = groups.get(MessageId)
        if (group && Attributes) Attributes.MessageGroupId ??= group
      }
    }
    done(null, payload)
  })
}
