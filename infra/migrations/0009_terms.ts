import { inTransaction } from './steps.ts'

const statements = [
  // What the words of a chunk are found by. Apart from the chunks, so that a search reads an agent's terms and nothing else, in
  // the order in which they were written: about seven chunks a page. No index of terms: to keep one up to date takes longer than
  // all the rest of storing a chunk.
  `create table chunk_terms (
    organization_id uuid not null,
    agent_id uuid not null,
    document_id uuid not null,
    revision integer not null,
    chunk_index integer not null,
    length integer not null,
    terms sparsevec(100000000) not null,
    primary key (organization_id, agent_id, document_id, revision, chunk_index)
  )`,
  // In the row as long as two fit into a page: a search reads all of an agent's, and one out of line costs ten times as much.
  `alter table chunk_terms alter column terms set storage external`,
  `alter table chunk_terms set (toast_tuple_target = 4080)`,

  // Of a title, for all chunks of its document: a new title is found at once, and no chunk is written for it.
  `alter table documents add column title_terms sparsevec(100000000)`,

  `alter table chunk_terms enable row level security`,
  `create policy own on chunk_terms to cuecard_embedding, cuecard_chunks, cuecard_search
    using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,

  // Instead of a foreign key, whose check would double what inserting a row costs. With the owner's rights, as a foreign key: whoever
  // may delete a chunk, the releases before included, needs none on its terms.
  `create function delete_terms_of_chunks() returns trigger language plpgsql
  security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  begin
    delete from chunk_terms t using deleted d
    where t.organization_id = d.organization_id and t.agent_id = d.agent_id and t.document_id = d.document_id
      and t.revision = d.revision and t.chunk_index = d.chunk_index;
    return null;
  end $$`,
  `create trigger delete_terms_of_chunks after delete on chunks referencing old table as deleted
    for each statement execute function delete_terms_of_chunks()`,

  ...['cuecard_embedding', 'cuecard_chunks'].map(
    (role) =>
      `grant insert (organization_id, agent_id, document_id, revision, chunk_index, length, terms) on chunk_terms to ${role}`,
  ),
  `grant select (organization_id, agent_id, document_id, revision, chunk_index, length, terms) on chunk_terms to cuecard_search`,
  `grant insert (title_terms), update (title_terms) on documents to cuecard_documents`,
  `grant select (title) on documents to cuecard_embedding`,
  `grant select (chunk_count, title_terms) on documents to cuecard_search`,
]

export const steps = [inTransaction(...statements)]
