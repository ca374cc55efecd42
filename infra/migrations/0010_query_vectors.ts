import { inTransaction } from './steps.ts'

const statements = [
  // Vectors of questions that were asked before, so that the embedding provider is asked once for each. The key is a hash of the
  // model and the words: no question is stored. Whatever is lost here is fetched again, at the cost of a call. In plain storage,
  // as vectors are; the three planes are what search compares with sketches.
  `create table query_vectors (
    organization_id uuid not null references organizations (id) on delete cascade,
    key bytea not null check (octet_length(key) = 32),
    embedding halfvec(1536) not null,
    high bit(1536) not null,
    middle bit(1536) not null,
    low bit(1536) not null,
    cosine_per_unit double precision not null,
    created_at timestamptz not null default now(),
    primary key (organization_id, key)
  )`,
  `alter table query_vectors alter column embedding set storage plain, alter column high set storage plain,
    alter column middle set storage plain, alter column low set storage plain`,
  // What is old, who has new ones, and which are surplus: the sweeper reads no row that it does not delete.
  `create index query_vectors_by_age on query_vectors (created_at, organization_id)`,
  `create index query_vectors_of_organization on query_vectors (organization_id, created_at) include (key)`,

  `alter table query_vectors enable row level security`,
  `create policy own on query_vectors to cuecard_search
    using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))`,
  `create policy every_organization on query_vectors to cuecard_sweeper using (true)`,
  `grant select (organization_id, key, embedding, high, middle, low, cosine_per_unit),
    insert (organization_id, key, embedding, high, middle, low, cosine_per_unit)
    on query_vectors to cuecard_search`,
  `grant select (organization_id, key, created_at), delete on query_vectors to cuecard_sweeper`,
]

export const steps = [inTransaction(...statements)]
