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

-- search/sketch-clusters.sql fills these three for an agent.
create table clustered_agents (
  organization_id uuid not null,
  agent_id uuid not null,
  chunks integer, -- their number when clustering began
  rounds integer not null default 0, -- four that improve the centers, then one that measures
  share real, -- the share of the sketches that a search compares; null for all
  primary key (organization_id, agent_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);

create table sketch_clusters (
  organization_id uuid not null,
  agent_id uuid not null,
  cluster integer not null,
  center bit(1536) storage plain not null,
  sketches integer not null default 0,
  primary key (organization_id, agent_id, cluster),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
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

-- A hypothesis about the question: its vector, or the key under which the vector is or will be stored, and the vector's sketch.
create type asked_vector as (key bytea, vector halfvec, high bit(1536), middle bit(1536), low bit(1536), scale float8);
-- A term of a group of words, in one of its ways. Hypotheses count from 1; groups, ways and slots count from 0.
create type asked_term as (
  hypothesis integer, grp integer, way integer, slot integer, weight float8, is_fallback boolean, is_required boolean);
-- A term's weight among an agent's chunks.
create type weighed_term as (
  hypothesis integer, grp integer, way integer, slot integer, worth float8, is_code boolean, is_usable boolean, group_is_known boolean,
  share_of_group float8);

-- A question to `search` is one argument, which its callers write as JSON. Missing parts are null.
create type question as (
  mode text,
  organization uuid,
  agent uuid,
  asked_model text, -- the model of the vectors, null if unknown
  assumed_model text, -- the model of an agent that names none
  documents uuid[], -- searches only these; null for all
  metadata jsonb, -- a chunk's metadata must contain this
  document_metadata jsonb,
  as_of timestamptz, -- documents must be valid then; null for now
  hit_limit integer,
  max_bytes bigint, -- the largest size of the hits as JSON
  vectors asked_vector[],
  terms asked_term[],
  keys_of_slots integer[], -- the terms' keys in `sparsevec`
  probes sparsevec[], -- see `occurrences`
  keyword_weight float8,
  earlier jsonb); -- words of the call's earlier turns: see `with_earlier_turns`
