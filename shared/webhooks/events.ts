/**
 * Each webhook event, and the SQL functions that make it (infra/migrations/current/webhooks.sql). Triggers call them in the transaction of the
 * change, except two that the sweeper calls. They are triggers, because no Lambda may write an event: a trigger's function has the owner's
 * rights, so a role that changes a document can neither forget nor invent one.
 */
export const madeBy = {
  'document.completed': ['tell_of_document'],
  'document.failed': ['tell_of_document'],
  'document.waiting': ['tell_of_waiting_documents'],
  'golden_question.failed': ['tell_of_document', 'tell_of_golden_question'],
  'source.failed': ['tell_of_source'],
  'questions.unanswered': ['tell_of_unanswered_questions'],
  'hours.missing_for_holiday': ['tell_of_missing_holidays'],
}

export type WebhookEvent = keyof typeof madeBy

export const webhookEvents = Object.keys(madeBy) as WebhookEvent[]

/** The one event that no webhook chooses: `deliveries.ts` makes it. */
export const testEvent = 'webhook.test'
