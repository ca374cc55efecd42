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

  `grant update (resend_at) on documents to cuecard_api, cuecard_embedding`,
  `grant select (resend_at), update (resend_at) on documents to cuecard_sweeper`,
]
