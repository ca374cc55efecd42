/**
 * Each webhook event, and the SQL functions that make it. They are in `infra/migrations/baseline/webhooks.sql`. Triggers call them, except
 * two that the sweeper calls. `0014_trash.ts` has the current condition of the documents' trigger, and
 * `0021_missing_holidays.ts` the function for holidays.
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
