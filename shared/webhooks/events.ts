/** Each webhook event, and the functions in `infra/migrations/baseline/webhooks.sql` that make it: triggers, and two that the sweeper calls. */
export const madeBy = {
  'document.completed': ['tell_of_document'],
  'document.failed': ['tell_of_document'],
  'document.waiting': ['tell_of_waiting_documents'],
  'golden_question.failed': ['tell_of_document', 'tell_of_golden_question'],
  'source.failed': ['tell_of_source'],
  'questions.unanswered': ['tell_of_unanswered_questions'],
}

export type WebhookEvent = keyof typeof madeBy

export const webhookEvents = Object.keys(madeBy) as WebhookEvent[]

/** The one event that no webhook chooses: `deliveries.ts` makes it. */
export const testEvent = 'webhook.test'
