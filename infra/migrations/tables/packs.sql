-- What ranking reads of an agent's documents: an instance keeps it (shared/retrieval/index), and reads what has changed since its version.
-- Triggers write the rows. A row without a revision says that search no longer serves the document.
create table packs (
  organization_id uuid not null,
  agent_id uuid not null,
  document_id uuid not null,
  version bigint not null, -- the agent's served_version at the last change
  revision integer, -- the served one; null if none is
  title text,
  valid_from timestamptz(3),
  valid_until timestamptz(3),
  terms_version smallint, -- the lowest of its chunks'
  chunks bytea, -- see packed_chunks
  unserved_at timestamptz, -- when search stopped to serve the document
  primary key (organization_id, agent_id, document_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
alter table packs alter chunks set storage external; -- sketches can't be compressed
create index packs_by_version on packs (organization_id, agent_id, version, document_id);
create index packs_unserved on packs (unserved_at) where unserved_at is not null;
create index packs_by_terms_version on packs (terms_version) where terms_version is not null;
