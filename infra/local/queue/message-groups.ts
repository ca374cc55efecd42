import type { buildApp } from 'fauxqs'

interface Batch {
  MessageGroupId?: string
  Entries?: { Id: string; MessageGroupId?: string }[]
}
interface SqsResponse {
  MessageId?: string
  Successful?: { Id: string; MessageId: string }[]
  Messages?: { MessageId: string; Attributes?: Record<string, string> }[]
}

/** fauxqs 1.9 keeps the `MessageGroupId` only on FIFO queues, but SQS also keeps it on standard queues (fair queues). */
export function keepMessageGroups(app: ReturnType<typeof buildApp>): void {
  const groups = new Map<string, string>()
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const response = payload as SqsResponse
    const action = request.headers['x-amz-target']
    if (action === 'AmazonSQS.SendMessage' || action === 'AmazonSQS.SendMessageBatch') {
      const { MessageGroupId, Entries = [] } = request.body as Batch
      if (response.MessageId && MessageGroupId) groups.set(response.MessageId, MessageGroupId)
      for (const { Id, MessageId } of response.Successful ?? []) {
        const group = Entries.find((entry) => entry.Id === Id)?.MessageGroupId
        if (group) groups.set(MessageId, group)
      }
    }
    if (action === 'AmazonSQS.ReceiveMessage') {
      for (const { MessageId, Attributes } of response.Messages ?? []) {
        const group = groups.get(MessageId)
        if (group && Attributes) Attributes.MessageGroupId ??= group
      }
    }
    done(null, payload)
  })
}
