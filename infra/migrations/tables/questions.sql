-- Callers' questions, for organizations that log them. A row says nothing of the caller, line or key, but for the call's id.
-- Hits are [{document_id, revision, chunk_index, score}], best first.
create table question_log (
  organization_id uuid not null,
  agent_id uuid not null,
  id uuid not null,
  question text not null check (char_length(question) <= 500),
  call_id text check (char_length(call_id) between 1 and 255),
  mode text not null check (mode in ('hybrid', 'semantic', 'keyword')),
  is_degraded boolean not null,
  hits jsonb not null,
  answerable real not null,
  status text not null default 'uncertain' check (status in ('found', 'uncertain', 'nothing')),
  value jsonb, -- {text, row, column, chunk_id, confidence}
  is_wrong boolean not null default false, -- a person reports that the caller got a wrong answer
  asked_again_version bigint, -- the agent's served_version at which the dashboard last asked it again
  answered_since jsonb, -- what was found then, {hit: {chunk_id, document_id, chunk_index}, value}; null unless it answers
  is_answered_since boolean not null generated always as (answered_since is not null) stored,
  milliseconds integer not null,
  asked_at timestamptz(3) not null default now(),
  primary key (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index question_log_of_organization on question_log (organization_id, asked_at) include (agent_id, status, is_wrong, is_answered_since);
create index question_log_of_call on question_log (organization_id, agent_id, call_id, id) where call_id is not null;
-- The questions that the dashboard lists as open, or as answered since.
create index question_log_doubtful on question_log (organization_id, agent_id, id, status, is_wrong) where is_wrong or status <> 'found';
create index question_log_by_age on question_log (asked_at);

-- Questions that search must keep answering, with their vectors and the result of the last check.
create table golden_questions (
  organization_id uuid not null,
  agent_id uuid not null,
  id uuid not null,
  question text not null,
  history text[] not null default '{}', -- the turns before it in its call, oldest first
  document_id uuid, -- the expected document
  words text, -- the expected words
  value text, -- the expected value; null if there should be none
  expects_value boolean not null default false, -- false if the value is not checked
  expects_nothing boolean not null default false,
  within integer not null check (within between 1 and 10),
  on_failure text not null check (on_failure in ('warn', 'block')),
  as_of timestamptz(3),
  model text not null, -- the model of the vector
  embedding halfvec(1536) storage plain not null,
  passed boolean,
  rank integer,
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  constraint golden_questions_expectation check (
    expects_nothing = (coalesce(document_id::text, words) is null and not expects_value)
    and (expects_value or value is null))
);
-- A row's vector has half a page, so counts need an index of their own.
create index golden_questions_failing on golden_questions (organization_id, agent_id) where not passed;

-- Vectors of questions asked before. The key is a hash of the model and the words: no question is stored.
create table query_vectors (
  organization_id uuid not null references organizations (id) on delete cascade,
  key bytea not null check (octet_length(key) = 32),
  embedding halfvec(1536) storage plain not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, key)
);
create index query_vectors_by_age on query_vectors (created_at, organization_id);
create index query_vectors_of_organization on query_vectors (organization_id, created_at) include (key);
