import { inTransaction } from './steps.ts'

const statements = [
  // The title is the file's name, or the title that the file gives itself: no client has set one. The extraction Lambda may replace it.
  `alter table documents add column title_from_file boolean not null default false`,
  // As before, but a title that the file gives itself is no client's edit.
  `create or replace trigger count_client_edit before update on documents for each row
    when (old.title <> new.title and not new.title_from_file
      or old.revision <> new.revision
      or new.managed_by = 'client' and (old.status, old.chunk_count) is distinct from (new.status, new.chunk_count))
    execute function count_client_edit()`,
  `grant insert (title_from_file), update (title_from_file) on documents to cuecard_documents, cuecard_dashboard`,
  `grant select (title_from_file), update (title, title_terms) on documents to cuecard_extraction`,
]

export const steps = [inTransaction(...statements)]
