import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // When the sweeper sends a pending document's message again if no worker has come. The default is what a new document
  // gets; it stands also for code that does not know the column, so that no row is ever without a time.
  `alter table documents add column resend_at timestamptz not null default now() + interval '120 seconds'`,
  `create index documents_to_resend on documents (resend_at) where managed_by = 'service' and status = 'pending'`,
  // Only the code before this migration goes by enqueued_at. After a rollback it must find a time in it.
  `alter table documents alter column enqueued_at set default now()`,

  // The API request that caused the work, and its key: what the log names, also when the message was lost. Keys are revoked,
  // not deleted, and a log outlives both.
  `alter table documents add column request_id text, add column requested_by uuid`,

  `grant insert (request_id, requested_by), update (resend_at, request_id, requested_by) on documents to cuecard_api`,
  `grant select (request_id, requested_by), update (resend_at) on documents to cuecard_embedding`,
  `grant select (resend_at, request_id, requested_by), update (resend_at) on documents to cuecard_sweeper`,
]
