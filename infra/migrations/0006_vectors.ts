import { inTransaction } from './steps.ts'

const statements = [
  // Apart from the chunks, so that a revision keeps what an edit did not change, and a search reads vectors alone. Insert-only:
  // the id says what was embedded. Half precision in plain storage: two rows a page, none of them compressed or out of line. The
  // power of two brings the numbers back to the scale in which they came; cosine does not need it.
  `create table vectors (
    organization_id uuid not null,
    document_id uuid not null,
    id uuid not null,
    exponent smallint not null,
    embedding halfvec(1536) not null,
    sketch bit(1536) not null,
    primary key (organization_id, document_id, id),
    foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
  )`,
  `alter table vectors alter column embedding set storage plain, alter column sketch set storage plain`,

  // The column \`embedding\` stays for one release: the code before this migration serves while it runs, and after a rollback.
  `alter table chunks add column vector_id uuid, add column sketch bit(1536)`,
  `alter table chunks alter column sketch set storage plain`,
  // Search reads sketches from an index alone, which takes pages that a vacuum has seen.
  `alter table chunks set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000)`,

  // Where in the content each chunk of the served revision begins and ends. Not in the chunks' rows: an edit moves all that
  // follow it, and they stay as they are.
  `alter table documents add column chunk_offsets integer[]`,

  `alter table vectors enable row level security`,
  `create policy own on vectors to cuecard_embedding, cuecard_documents, cuecard_chunks, cuecard_search
    using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,
  // As they were, but evaluated once in a statement: as a function's call it was unfolded by the planner for every table, and
  // evaluated for every row that is looked up.
  ...['agents', 'documents', 'chunks'].map(
    (table) =>
      `alter policy own on ${table} using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,
  ),

  `grant select (organization_id, document_id, id), delete on vectors to cuecard_documents`,
  `grant select (agent_id, vector_id) on chunks to cuecard_documents`,
  `grant update (chunk_offsets) on documents to cuecard_documents`,

  `grant select, delete, insert (organization_id, document_id, id, exponent, embedding, sketch) on vectors to cuecard_chunks`,
  `grant insert (vector_id, sketch) on chunks to cuecard_chunks`,
  `grant select (chunk_offsets), update (chunk_offsets) on documents to cuecard_chunks`,

  `grant select (organization_id, document_id, id, embedding) on vectors to cuecard_search`,
  `grant select (agent_id, vector_id, sketch) on chunks to cuecard_search`,
  `grant select (revision, chunk_offsets) on documents to cuecard_search`,

  `grant select (organization_id, document_id, id, sketch), delete,
    insert (organization_id, document_id, id, exponent, embedding, sketch)
    on vectors to cuecard_embedding`,
  `grant select (agent_id, vector_id), insert (vector_id, sketch) on chunks to cuecard_embedding`,
  `grant update (chunk_offsets) on documents to cuecard_embedding`,
]

export const steps = [inTransaction(...statements)]
