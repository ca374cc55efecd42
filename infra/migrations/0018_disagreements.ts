import { inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

/** Prices and times that documents give to things, to find documents that contradict each other. */
export const steps = [
  inTransaction(
    // Rows of revisions that search no longer serves stay until the document has new ones, and are not read.
    `create table document_claims (
      organization_id uuid not null,
      document_id uuid not null,
      key uuid not null, -- the MD5 of the thing's names and of the kind and number of amounts
      agent_id uuid not null,
      revision integer not null,
      scope uuid not null, -- the MD5 of the document's metadata: claims of other scopes don't contradict
      amounts uuid not null, -- their MD5
      currency text not null,
      chunk_index integer not null,
      text text not null,
      primary key (organization_id, document_id, key),
      foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
    );
    create index document_claims_by_key on document_claims (organization_id, agent_id, key, scope, amounts);
    alter table document_claims enable row level security;
    create policy own on document_claims to cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding
      using (${own});
    create policy operator_reads on document_claims for select to cuecard_operator using (true);
    create policy operator_changes on document_claims to cuecard_operator using ((select require_operator_action()));
    grant select on document_claims to cuecard_crawler, cuecard_dashboard, cuecard_documents;
    grant update (scope) on document_claims to cuecard_documents;
    grant select (organization_id, document_id, revision), insert, delete on document_claims
      to cuecard_chunks, cuecard_documents, cuecard_embedding;
    grant select, delete on document_claims to cuecard_operator;
    grant select (metadata, chunk_count) on documents to cuecard_chunks, cuecard_embedding;
    grant select (chunk_index, content, metadata) on chunks to cuecard_documents;`,
  ),
]
