-- Functions that read for a search. Postgres inlines them into their callers. All of search runs with the calling role's rights, so that
-- row-level security holds.

-- Adds a chunk's offsets to its metadata. Its document stores them, because an edit moves all later chunks without changing their rows.
create or replace function with_offsets(metadata jsonb, chunk_index integer, revision integer, active_revision integer, offsets integer[])
  returns jsonb
  language sql immutable
begin atomic
  select case when revision <= active_revision and offsets is not null
    then metadata || jsonb_build_object('start', offsets[2 * chunk_index + 1], 'end', offsets[2 * chunk_index + 2])
    else metadata end;
end;

create or replace function metadata_of_chunk(organization uuid, agent uuid, document uuid, revision integer, chunk_index integer)
  returns table (metadata jsonb)
  language sql stable
begin atomic
  select with_offsets(c.metadata, c.chunk_index, c.revision, d.active_revision, d.chunk_offsets)
  from chunks c join documents d on d.organization_id = c.organization_id and d.id = c.document_id
  where c.organization_id = organization and c.agent_id = agent and c.document_id = document and c.revision = $4
    and c.chunk_index = $5
  offset 0;
end;

drop function if exists source_of_chunk(uuid, uuid, integer);

create or replace function is_valid(valid_from timestamptz, valid_until timestamptz, as_of timestamptz) returns boolean
  language sql immutable
begin atomic
  select coalesce(valid_from <= as_of, true) and coalesce(as_of < valid_until, true);
end;

-- Documents whose newest revision isn't the served one, which is null if none is served. `not in` keeps them in a hash, whereas an array
-- would be searched for each chunk.
create or replace function documents_in_revision(organization uuid, agent uuid, as_of timestamptz)
  returns table (document_id uuid, active_revision integer)
  language sql stable
begin atomic
  select d.id, case when is_valid(d.valid_from, d.valid_until, as_of) then d.active_revision end from documents d
  where d.organization_id = organization and d.agent_id = agent
    and (d.active_revision is distinct from d.revision or d.valid_from is not null or d.valid_until is not null)
    and (d.active_revision is distinct from d.revision or not is_valid(d.valid_from, d.valid_until, as_of));
end;

-- Served chunks with a vector. `chosen`: ids of documents, or null. `wanted`: metadata that a chunk must contain, or null. `clusters`:
-- clusters of clustered_sketches to read besides the chosen documents, or null.
create or replace function served_chunks(organization uuid, agent uuid, chosen uuid[], wanted jsonb, as_of timestamptz, clusters integer[])
  returns table (document_id uuid, revision integer, chunk_index integer, vector_id uuid, sketch bit)
  language sql stable
begin atomic
  select c.document_id, c.revision, c.chunk_index, c.vector_id, c.sketch
  from (
    select document_id, revision, chunk_index, vector_id, sketch from chunks
    where chosen is null and organization_id = organization and agent_id = agent
    union all
    select document_id, revision, chunk_index, vector_id, sketch from chunks
    where chosen is not null and organization_id = organization and agent_id = agent and document_id = any (chosen)
    union all
    select document_id, revision, chunk_index, vector_id, sketch from clustered_sketches
    where clusters is not null and organization_id = organization and agent_id = agent and cluster = any (clusters)
      and document_id not in (select unnest(chosen))) c
  where c.sketch is not null
    and (c.document_id not in (select r.document_id from documents_in_revision(organization, agent, as_of) r)
      or c.revision <= (
        select r.active_revision from documents_in_revision(organization, agent, as_of) r where r.document_id = c.document_id))
    and (wanted is null or exists (
      select from metadata_of_chunk(organization, agent, c.document_id, c.revision, c.chunk_index) m where m.metadata @> wanted));
end;

create or replace function served_terms(organization uuid, agent uuid, chosen uuid[], wanted jsonb, as_of timestamptz)
  returns table (document_id uuid, revision integer, chunk_index integer, length integer, terms sparsevec)
  language sql stable
begin atomic
  select t.document_id, t.revision, t.chunk_index, t.length, t.terms
  from (
    select document_id, revision, chunk_index, length, terms from chunk_terms
    where chosen is null and organization_id = organization and agent_id = agent
    union all
    select document_id, revision, chunk_index, length, terms from chunk_terms
    where organization_id = organization and agent_id = agent and document_id = any (chosen)) t
  where (t.document_id not in (select r.document_id from documents_in_revision(organization, agent, as_of) r)
      or t.revision <= (
        select r.active_revision from documents_in_revision(organization, agent, as_of) r where r.document_id = t.document_id))
    and (wanted is null or exists (
      select from metadata_of_chunk(organization, agent, t.document_id, t.revision, t.chunk_index) m where m.metadata @> wanted));
end;

-- Counts the occurrences of up to 31 terms, in two bits a term. The inner product of a probe and a chunk's terms has a base-4 digit for
-- each of twelve terms.
create or replace function occurrences(terms sparsevec, probes sparsevec[]) returns bigint
  language sql immutable
begin atomic
  select (-(terms <#> probes[1]))::bigint + coalesce((-(terms <#> probes[2]))::bigint << 24, 0)
    + coalesce((-(terms <#> probes[3]))::bigint << 48, 0);
end;

-- The number of bits in which a sketch differs from a query's three sketches, which count 4, 2 and 1.
create or replace function distance(sketch bit, high bit, middle bit, low bit) returns float8
  language sql immutable
begin atomic
  select 4 * (sketch <~> high) + 2 * (sketch <~> middle) + (sketch <~> low);
end;
