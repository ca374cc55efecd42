import { inTransaction } from './steps.ts'

const statements = [
  // Of the upload that a document waits for, or had: until when its file may arrive, and when the uploader reported that it has. And of the
  // file whose text was extracted: its ETag, so that no other bytes under the same key are read for it.
  `alter table documents add column upload_until timestamptz, add column uploaded_at timestamptz, add column file_etag text`,

  `create or replace function mark_file_obsolete() returns trigger language plpgsql
  security definer set search_path = public, pg_temp as $$
  begin
    insert into obsolete_files (source_url, last_at) values (old.source_url, coalesce(old.upload_until, now()))
    on conflict do nothing;
    return null;
  end $$`,

  `grant insert (upload_until, uploaded_at, file_etag), update (upload_until, uploaded_at, file_etag) on documents to cuecard_dashboard`,
  `grant select (upload_until, uploaded_at, file_etag), update (uploaded_at, file_etag) on documents to cuecard_extraction`,
  `grant select (upload_until, uploaded_at) on documents to cuecard_sweeper`,

  // Whoever erases an organization leaves all of its files to the sweeper, those included that no row names.
  `grant select (source_url), insert (source_url, last_at), update (delete_at, last_at) on obsolete_files to cuecard_operator`,
  `create policy operator_reads on obsolete_files for select to cuecard_operator using (true)`,
  `create policy operator_inserts on obsolete_files for insert to cuecard_operator with check ((select require_operator_action()))`,
  `create policy operator_updates on obsolete_files for update to cuecard_operator using ((select require_operator_action()))`,
]

export const steps = [inTransaction(...statements)]
