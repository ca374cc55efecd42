import { buildIndex, inTransaction } from './steps.ts'

const searching = 'cuecard_dashboard, cuecard_mcp, cuecard_platforms, cuecard_search'
const agents = 'foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade'

/** Tables that search/sketch-clusters.sql fills for an agent. */
export const steps = [
  inTransaction(`
    create table clustered_agents (
      organization_id uuid not null,
      agent_id uuid not null,
      chunks integer, -- their number when clustering began
      rounds integer not null default 0, -- four that improve the centers, then one that measures
      share real, -- the share of the sketches that a search compares; null for all
      primary key (organization_id, agent_id),
      ${agents}
    );
    create table sketch_clusters (
      organization_id uuid not null,
      agent_id uuid not null,
      cluster integer not null,
      center bit(1536) storage plain not null,
      sketches integer not null default 0,
      primary key (organization_id, agent_id, cluster),
      ${agents}
    );
    create table clustered_sketches (
      organization_id uuid not null,
      agent_id uuid not null,
      cluster integer not null,
      document_id uuid not null,
      revision integer not null,
      chunk_index integer not null,
      vector_id uuid not null,
      sketch bit(1536) storage plain not null,
      primary key (organization_id, agent_id, cluster, document_id, revision, chunk_index) include (vector_id, sketch)
    ) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000); -- for index-only scans
    create index clustered_sketches_of_document on clustered_sketches (document_id, revision, chunk_index); -- not a key that a search has
    alter table clustered_sketches alter agent_id set (n_distinct = 10000);
    grant select on clustered_agents, sketch_clusters, clustered_sketches to ${searching};
    grant select (organization_id, agent_id, cluster, document_id, revision, chunk_index), delete on clustered_sketches to cuecard_operator;
    ${['clustered_agents', 'sketch_clusters', 'clustered_sketches']
      .map(
        (table) => `alter table ${table} enable row level security;
        create policy own on ${table} to ${searching}
          using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));`,
      )
      .join('\n')}
    create policy operator_reads on clustered_sketches for select to cuecard_operator using (true);
    create policy operator_changes on clustered_sketches to cuecard_operator using ((select require_operator_action()));`),
  inTransaction(`
    alter table documents add column clustered_revision integer; -- clustered_sketches has the chunks of revisions up to this one
    grant select (clustered_revision) on documents to ${searching};`),
  buildIndex(
    'documents_unclustered',
    'on documents (organization_id, agent_id, id) where clustered_revision is distinct from active_revision',
  ),
]
