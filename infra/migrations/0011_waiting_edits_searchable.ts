import { buildIndex, inTransaction } from './steps.ts'

const statements = [
  // Why a pending document waits for another attempt, and how many workers have claimed its revision. The code before this migration
  // clears neither: the reason is of a wait only while there is a next_attempt_at.
  `alter table documents add column waiting_reason text, add column tries integer not null default 0`,

  // Grows with each edit by a client: what If-Match compares. The pipeline changes the version, never this.
  `alter table documents add column edits integer not null default 1`,

  // The chunks that search finds: those that it serves and that have a vector. Null in a row that is not counted yet, which only a
  // backfill and this document's next switch of chunks change.
  `alter table documents add column searchable_chunk_count integer`,
  `alter table documents alter column searchable_chunk_count set default 0`,

  `create function count_client_edit() returns trigger language plpgsql as $$
  begin
    new.edits := old.edits + 1;
    return new;
  end $$`,
  // Whoever writes, the release before included. The pipeline never begins a revision, and leaves a client's document alone.
  `create trigger count_client_edit before update on documents for each row
    when ((old.title, old.revision) is distinct from (new.title, new.revision)
      or new.managed_by = 'client' and (old.status, old.chunk_count) is distinct from (new.status, new.chunk_count))
    execute function count_client_edit()`,

  // Search serves other chunks from now on: none, a revision of the service's, each of whose chunks has a vector, or the client's
  // own, which were stored before; more of them may come while they are served. With the owner's rights: whoever writes a document
  // needs none on its chunks.
  `create function count_searchable_chunks() returns trigger language plpgsql
  security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  begin
    new.searchable_chunk_count := case
      when new.active_revision is null then 0
      when new.managed_by = 'service' then new.chunk_count
      else (select count(*) from chunks c
        where c.organization_id = new.organization_id and c.document_id = new.id and c.revision = new.active_revision
          and (c.vector_id is not null or c.embedding is not null))
      end;
    return new;
  end $$`,
  `create trigger count_searchable_chunks before update on documents for each row
    when (old.active_revision is distinct from new.active_revision
      or new.managed_by = 'client' and new.active_revision = new.revision and old.chunk_count <> new.chunk_count)
    execute function count_searchable_chunks()`,

  // Fires after the two before, by its name. A count that was not there before is none that has changed.
  `create or replace trigger touch_document before update on documents for each row
    when ((old.title, old.content_hash, old.source_url, old.status, old.chunk_count, old.error_message, old.waiting_reason)
        is distinct from
        (new.title, new.content_hash, new.source_url, new.status, new.chunk_count, new.error_message, new.waiting_reason)
      or old.searchable_chunk_count <> new.searchable_chunk_count)
    execute function touch_document()`,

  `grant update (waiting_reason, tries) on documents to cuecard_documents, cuecard_chunks`,
  `grant select (tries), update (waiting_reason, tries) on documents to cuecard_embedding`,
  `grant select (waiting_reason), update (waiting_reason) on documents to cuecard_sweeper`,
]

export const steps = [
  inTransaction(...statements),
  // What is left for the backfill.
  buildIndex('documents_uncounted', 'on documents (organization_id, id) where searchable_chunk_count is null'),
]
