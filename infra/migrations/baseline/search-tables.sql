-- A keyword search reads all terms of a small agent. Terms stay in the row while two rows fit into a page. An index of terms would take
-- longer to write than the rest of a chunk. A trigger deletes the rows, because a foreign key would double the time of an insert.
create table chunk_terms (
  organization_id uuid not null,
  agent_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  chunk_index integer not null,
  length integer not null,
  ordinal integer, -- the chunk's bit in the agent's term_lists
  terms sparsevec(100000000) storage external not null,
  primary key (organization_id, agent_id, document_id, revision, chunk_index)
) with (toast_tuple_target = 4080);
create unique index chunk_terms_listed on chunk_terms (organization_id, agent_id, ordinal) where ordinal is not null;

-- The sweeper makes these lists for large agents. They mark which of a block's 16,384 ordinals have a term, and which have it repeatedly.
-- Term 0 marks all listed chunks, -1 to -16 those with that binary digit in their length. Compression makes a rare term's list short.
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

-- Ordinals of deleted chunks that the lists still have.
create table deleted_ordinals (
  organization_id uuid not null,
  agent_id uuid not null,
  id uuid not null default gen_random_uuid(),
  ordinals integer[] not null,
  primary key (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
