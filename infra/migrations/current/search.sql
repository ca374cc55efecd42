-- All that a search reads, of one snapshot: shared/retrieval/statement says what the parts are. It ranks nothing. It runs with the calling
-- role's rights, so that row-level security holds. As a function its plans are kept in the session, and only those of parts that are wanted
-- are made. `since`: the version that the caller knows. `changed` has what has changed since; null if that is much. Chunks are at (document,
-- revision, index); `given`: ids of the vectors by which they are compared, null for their own. No row if the agent does not exist.
create or replace function read_agent(organization uuid, agent uuid, since bigint, vectors halfvec[],
    compared uuid[], compared_revisions integer[], compared_indexes integer[], given uuid[], of_next_model boolean,
    texts uuid[], text_revisions integer[], text_indexes integer[], max_bytes bigint)
  returns table (name text, time_zone text, holidays text, model text, version float8, now float8, changed json, cosines json, passages json)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
  select a.name, a.time_zone, a.holidays, a.model, a.served_version, extract(epoch from now()) * 1000
  into name, time_zone, holidays, model, version, now
  from agents a where a.organization_id = organization and a.id = agent;
  if not found then return; end if;
  if version <> since then
    changed := (
      select case when coalesce(sum(octet_length(p.chunks)), 0) < 1000000 then
        coalesce(json_agg(json_build_object('document_id', p.document_id, 'version', p.version, 'revision', p.revision, 'title', p.title,
          'valid_from', p.valid_from, 'valid_until', p.valid_until, 'chunks', encode(p.chunks, 'base64'))), '[]') end
      from packs p where p.organization_id = organization and p.agent_id = agent and p.version > since);
  end if;
  if cardinality(vectors) > 0 then
    cosines := (
      select json_agg(v.cosines order by v.n) from (
        select asked.n, json_agg(1 - (found.embedding <=> asked.vector) order by found.n) as cosines
        from (
          select r.n, v.embedding
          from unnest(compared, compared_revisions, compared_indexes, given) with ordinality r(document_id, revision, chunk_index, given, n)
          left join lateral (
            select case when of_next_model then c.other_vector_id else c.vector_id end as vector_id from chunks c
            where c.organization_id = organization and c.document_id = r.document_id and c.revision = r.revision
              and c.chunk_index = r.chunk_index offset 0) c on true
          left join lateral (
            select v.embedding from vectors v
            where v.organization_id = organization and v.document_id = r.document_id
              -- Under row-level security, coalesce() would be a filter.
              and v.id = case when r.given is null then c.vector_id else r.given end offset 0) v on true
          offset 0) found
        cross join unnest(vectors) with ordinality asked(vector, n)
        group by asked.n) v);
  end if;
  if cardinality(texts) > 0 then
    passages := (
      select json_agg(p.passage order by p.n) filter (where p.n = 1 or p.bytes <= max_bytes) from (
        select r.n, sum(octet_length(to_json(c.content)::text) + octet_length(to_json(c.metadata::text)::text)) over (order by r.n) as bytes,
          case when c.id is not null then json_build_object('document_id', r.document_id, 'chunk_id', c.id, 'chunk_index', r.chunk_index,
            'content', c.content, 'token_count', c.token_count, 'metadata', c.metadata, 'url', c.url, 'page', c.page) end as passage
        from unnest(texts, text_revisions, text_indexes) with ordinality r(document_id, revision, chunk_index, n)
        left join lateral (
          select c.id, c.content, c.token_count, d.chunk_pages -> c.chunk_index as page,
            case when d.external_id ~ '^https?://' then d.external_id end as url,
            case when c.revision <= d.active_revision and d.chunk_offsets is not null then c.metadata || jsonb_build_object(
              'start', d.chunk_offsets[2 * c.chunk_index + 1], 'end', d.chunk_offsets[2 * c.chunk_index + 2])
              else c.metadata end as metadata
          from chunks c join documents d on d.organization_id = organization and d.id = r.document_id
          where c.organization_id = organization and c.document_id = r.document_id and c.revision = r.revision
            and c.chunk_index = r.chunk_index offset 0) c on true) p);
  end if;
  return next;
end $$;
