import { inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

const statements = [
  // Of a document that was a file: what its text is extracted from, and that text. It awaits its text, and is work of the extraction
  // Lambda, as long as it has a source_url and no content_hash. And of any document: how many chunks the revision in progress makes.
  `alter table documents add column file_bytes integer, add column extracted_text text,
    add column planned_chunk_count integer`,
  // Checked for the rows that are there by the step after this one.
  `alter table documents drop constraint documents_check1,
    add constraint documents_content_hash
      check ((coalesce(content, extracted_text) is null) = (content_hash is null)) not valid`,

  // As it was, and a source_type that the file's content has corrected is a visible change too.
  `create or replace trigger touch_document before update on documents for each row
    when ((old.title, old.content_hash, old.source_type, old.source_url, old.status, old.chunk_count, old.error_message,
          old.waiting_reason)
        is distinct from
        (new.title, new.content_hash, new.source_type, new.source_url, new.status, new.chunk_count, new.error_message,
          new.waiting_reason)
      or old.searchable_chunk_count <> new.searchable_chunk_count)
    execute function touch_document()`,

  // Files that no document names any more, for the sweeper to delete: at once, and once more when none can arrive any more, for the
  // form that posts one is good for an hour, and the last post may take another.
  `create table obsolete_files (
    source_url text primary key,
    delete_at timestamptz not null default now(),
    last_at timestamptz not null
  )`,
  // With the owner's rights: whoever deletes a document, be it by its agent or organization, needs none here.
  `create function mark_file_obsolete() returns trigger language plpgsql
  security definer set search_path = public, pg_temp as $$
  begin
    insert into obsolete_files (source_url, last_at) values (old.source_url, old.created_at + interval '2 hours')
    on conflict do nothing;
    return null;
  end $$`,
  `create trigger mark_file_obsolete after delete on documents for each row
    when (old.source_url like 's3://%') execute function mark_file_obsolete()`,
  `create trigger mark_replaced_file_obsolete after update on documents for each row
    when (old.source_url like 's3://%' and old.source_url is distinct from new.source_url)
    execute function mark_file_obsolete()`,
  `alter table obsolete_files enable row level security`,
  `create policy every_organization on obsolete_files to cuecard_sweeper using (true)`,
  `grant select (source_url, delete_at, last_at), delete, update (delete_at) on obsolete_files to cuecard_sweeper`,

  // A role for the Lambda that makes texts of files. It finds documents that were files, claims and releases them, fails them, and
  // hands over a text, which it cannot read again. It never completes one.
  `do $$
  begin
    create role cuecard_extraction nologin;
  exception when duplicate_object or unique_violation then
    null;
  end $$`,
  `grant usage on schema public to cuecard_extraction`,
  `grant
    select (organization_id, id, status, managed_by, revision, source_url, content_hash, lease_token, lease_expires_at, attempt,
      retry_count, tries, next_attempt_at, request_id, requested_by, created_at),
    update (status, source_type, extracted_text, content_hash, lease_token, lease_expires_at, attempt, retry_count, tries,
      next_attempt_at, waiting_reason, resend_at, error_code, error_message)
    on documents to cuecard_extraction`,
  `create policy own_files on documents to cuecard_extraction
    using (${own} and source_url is not null) with check (${own} and source_url is not null and status <> 'completed')`,

  `grant update (source_type, source_url, file_bytes, extracted_text, planned_chunk_count) on documents to cuecard_documents`,
  `grant update (planned_chunk_count) on documents to cuecard_chunks`,
  `grant select (source_url, content_hash, extracted_text), update (planned_chunk_count) on documents to cuecard_embedding`,
  // Where a document's message goes.
  `grant select (source_url, content_hash) on documents to cuecard_sweeper`,
]

export const steps = [
  inTransaction(...statements),
  inTransaction(`alter table documents validate constraint documents_content_hash`),
]
