-- A keyword search reads all of a small agent's terms: in the row while two fit into a page, and without an index of terms,
-- which would take longer to write than the rest of a chunk. A trigger deletes them: a foreign key would double the insert.
create table chunk_terms (
  organization_id uuid not null,
  agent_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  chunk_index integer not null,
  length integer not null,
  ordinal integer, -- which bit of the agent's term_lists stands for the chunk
  terms sparsevec(100000000) storage external not null,
  primary key (organization_id, agent_id, document_id, revision, chunk_index)
) with (toast_tuple_target = 4080);
create unique index chunk_terms_listed on chunk_terms (organization_id, agent_id, ordinal) where ordinal is not null;

-- The lists of a large agent, made by the sweeper: which of a block's 16,384 ordinals have a term, and which more than once. Term 0 has
-- all chunks that are listed, -1 to -16 those whose length has that binary digit. Compression makes a rare term's list short.
create table term_lists (
  organization_id uuid not null,
  agent_id uuid not null,
  term integer not null,
  block integer not null,
  present bit(16384) storage main not null,
  repeated bit(16384) storage main,
  primary key (organization_id, agent_id, term, block),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);

create table listed_agents (
  organization_id uuid not null,
  agent_id uuid not null,
  next_ordinal integer not null default 0,
  primary key (organization_id, agent_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);

-- Ordinals of chunks that were deleted and are still in the lists.
create table deleted_ordinals (
  organization_id uuid not null,
  agent_id uuid not null,
  id uuid not null default gen_random_uuid(),
  ordinals integer[] not null,
  primary key (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
