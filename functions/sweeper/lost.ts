import { type Expression, sql } from 'kysely'
import { awaitsText, isDue, processing } from '../../shared/documents/processing/guards.ts'
import * as sources from '../../shared/websites/transitions.ts'
import type { Message } from '../../shared/work/message.ts'
import { acquireDue } from '../../shared/work/sweep.ts'

/** The maximum of rows of each kind per sweep. */
export const maxPerSweep = 1000

export interface LostDocument extends Message<'document'> {
  /** `resend_at` to the microsecond: shows whether the row has changed since. */
  acquired: string
  pendingSeconds: number
  retries: number
}

export const acquireDocuments = acquireDue<LostDocument>('documents', 'resend_at', isDue, {
  seconds: processing.lostAfterSeconds,
  max: maxPerSweep,
  columns: sql`'document' as kind, d.id, d.request_id as "requestId", d.requested_by as "by", ${awaitsText} as "awaitsText",
    d.resend_at::text as acquired, extract(epoch from now() - d.pending_since)::int as "pendingSeconds", d.retry_count as retries`,
})

/** Sources that are due, and those whose crawler has died. Others may be before them in the queue. */
export const acquireWebsites = acquireDue<Message<'source'>>('sources', 'resend_at', sources.isDue, {
  seconds: 900,
  max: 100,
  columns: sql`'source' as kind, s.id, s.request_id as "requestId", s.requested_by as "by"`,
})

/** Agents whose change of model has work to do. A worker sets an earlier time itself. */
export const acquireModels = acquireDue<Message<'agent'>>('agents', 'model_due_at', sql`true`, {
  seconds: 600,
  max: 100,
  columns: sql`'agent' as kind, a.id`,
})

/** @param since when a row's work was due */
export const secondsOfOldest = (since: Expression<unknown>) =>
  sql<number>`greatest(0, extract(epoch from now() - min(${since})))::int`

export const oldestDueWebsite = sql<{ seconds: number }>`
  select ${secondsOfOldest(sources.dueAt)} as seconds from sources s where ${sources.isDue}`
