-- Bit strings list the chunks that have a term, so that a search in a large agent reads the terms of only a few chunks. The sweeper makes
-- them. A chunk without an ordinal, newer than its document's `listed_revision`, is scanned.

create or replace aggregate concatenated(bit varying) (sfunc = bitcat, stype = bit varying, initcond = '');

-- Uses a loop, because an aggregate would copy the bits twice for each ordinal.
create or replace function bits_of(ordinals integer[]) returns table (block integer, bits bit(16384))
  language plpgsql immutable as $$
declare
  members integer[];
  member integer;
  found bit varying;
begin
  for block, members in select o / 16384, array_agg(o % 16384) from unnest(ordinals) o group by 1 loop
    found := 0::bit(16384);
    foreach member in array members loop
      found := set_bit(found, member, 1);
    end loop;
    bits := found;
    return next;
  end loop;
end $$;

create or replace function positions(bits bit varying) returns setof integer
  language sql immutable
begin atomic
  select (sum(length(run) + 1) over (order by n))::integer - 1
  from string_to_table(bits::text, '1') with ordinality r(run, n)
  order by n limit bit_count(bits);
end;

-- An agent's lists, with blocks side by side, without deleted chunks and chunks of the documents in `scanned`. `presents`: the chunks with
-- each term. `repeats`: the chunks that have it repeatedly. `digits`: the binary digits of their lengths, lowest first.
create or replace function lists_of_terms(organization uuid, agent uuid, terms integer[], scanned uuid[])
  returns table (blocks integer[], presents bit varying[], repeats bit varying[], digits bit varying[])
  language sql stable
begin atomic
  with blocks as materialized (
    select l.block, l.present & ~coalesce(o.bits, 0::bit(16384)) as live
    from term_lists l
    left join bits_of(array(
      select unnest(g.ordinals) from deleted_ordinals g where g.organization_id = organization and g.agent_id = agent
      union all
      select t.ordinal from unnest(scanned) s(id) cross join lateral (
        select t.ordinal from chunk_terms t
        where t.organization_id = organization and t.agent_id = agent and t.document_id = s.id and t.ordinal is not null offset 0) t)) o
      using (block)
    where l.organization_id = organization and l.agent_id = agent and l.term = 0),
  lists as materialized (
    select s.n, concatenated(coalesce(l.present, 0::bit(16384)) & b.live order by b.block) as present,
      concatenated(coalesce(l.repeated, 0::bit(16384)) & b.live order by b.block) as repeated
    from unnest(terms || array(select generate_series(-1, -16, -1))) with ordinality s(term, n)
    cross join blocks b
    left join lateral (
      select l.present, l.repeated from term_lists l
      where l.organization_id = organization and l.agent_id = agent and l.term = s.term and l.block = b.block offset 0) l on true
    group by s.n)
  select array(select block from blocks order by block),
    array(select present from lists where n <= cardinality(terms) order by n),
    array(select repeated from lists where n <= cardinality(terms) order by n),
    array(select present from lists
      where n > cardinality(terms) and n <= (select max(n) from lists where bit_count(present) > 0) order by n);
end;

-- Sums of weights for each bit position as ten binary digits, by full adders (bit-sliced: O'Neil & Quass 1997).
create or replace function sums(bits bit varying[], weights integer[]) returns bit varying[]
  language plpgsql immutable as $$
declare
  digits bit varying[] := '{}';
  addends bit varying[];
  carries bit varying[] := '{}';
  digit bit varying;
  x bit varying;
begin
  for i in 0..9 loop
    addends := carries;
    carries := '{}';
    for n in 1..cardinality(weights) loop
      if weights[n] >> i & 1 = 1 then
        addends := array_append(addends, bits[n]);
      end if;
    end loop;
    digit := coalesce(addends[1], bits[1] # bits[1]);
    for n in 1..cardinality(addends) / 2 loop
      x := digit # addends[2 * n];
      if 2 * n < cardinality(addends) then
        carries := array_append(carries, (digit & addends[2 * n]) | (x & addends[2 * n + 1]));
        digit := x # addends[2 * n + 1];
      else
        carries := array_append(carries, digit & addends[2 * n]);
        digit := x;
      end if;
    end loop;
    digits := array_append(digits, digit);
  end loop;
  return digits;
end $$;

-- The greatest value that at least `wanted` sums reach, or 0.
create or replace function reached(digits bit varying[], wanted integer) returns integer
  language plpgsql immutable as $$
declare
  above bit varying := digits[1] # digits[1];
  equal bit varying := ~above;
  x bit varying;
  value integer := 0;
begin
  for i in reverse cardinality(digits)..1 loop
    x := equal & digits[i];
    if bit_count(above | x) >= wanted then
      value := value + (1 << (i - 1));
      equal := x;
    else
      above := above | x;
      equal := equal # x;
    end if;
  end loop;
  return value;
end $$;

create or replace function at_least(digits bit varying[], value integer) returns bit varying
  language plpgsql immutable as $$
declare
  above bit varying := digits[1] # digits[1];
  equal bit varying := ~above;
  x bit varying;
begin
  for i in reverse cardinality(digits)..1 loop
    x := equal & digits[i];
    if value >> (i - 1) & 1 = 1 then
      equal := x;
    else
      above := above | x;
      equal := equal # x;
    end if;
  end loop;
  return above | equal;
end $$;

-- Finds the listed chunks whose score can be among the `wanted` best of a hypothesis. A slot is worth at most `high`, and at least `low` if
-- a group is found in its best way. `lengths`: digits of the chunks' lengths. Gains and the length's weight are those of the score.
create or replace function candidates(presents bit varying[], repeats bit varying[], lengths bit varying[], terms weighed_term[],
    usual_length float8, gains float8[], length_weight float8, wanted integer)
  returns bit varying
  language plpgsql stable as $$
declare
  scale float8;
  bits bit varying[];
  lows float8[];
  highs float8[];
  digits bit varying[];
  sure bit varying[];
  lowest float8;
  found bit varying;
  length integer;
  longest constant integer := (1 << cardinality(lengths)) - 1;
begin
  select array_agg(presents[slot + 1]) || array_agg(repeats[slot + 1]), array_agg(low), array_agg(high), 900 / sum(high)
  into bits, lows, highs, scale
  from (
    select slot, sum(worth) as high, coalesce(sum(worth) filter (where way = best_way), 0) as low
    from (
      select *, first_value(way) over (partition by grp order by way_worth desc, way) as best_way
      from (select *, sum(worth) over (partition by grp, way) as way_worth from unnest(terms) where is_usable) t) t
    group by slot) s
  where high > 0 and bit_count(presents[slot + 1]) > 0;
  if bits is null then
    return null;
  end if;
  digits := sums(bits, array(select ceil(scale * gains[1] * worth)::integer from unnest(highs) worth)
    || array(select ceil(scale * (gains[3] - gains[1]) * worth)::integer from unnest(highs) worth));
  if lows = highs then
    lowest := reached(digits, wanted);
    found := at_least(digits, lowest::integer);
    lowest := gains[2] / gains[3] * (lowest - cardinality(bits));
  else
    sure := sums(bits, array(select floor(scale * gains[1] * worth)::integer from unnest(lows) worth)
      || array(select floor(scale * (gains[2] - gains[1]) * worth)::integer from unnest(lows) worth));
    lowest := reached(sure, wanted);
    found := at_least(sure, lowest::integer);
  end if;
  length := longest - reached(array(select ~d & found from unnest(lengths) with ordinality l(d, n) order by n), wanted);
  lowest := greatest(0, lowest / (1 + length_weight * length / (length + usual_length)));
  found := at_least(digits, greatest(1, ceil(lowest))::integer);
  for half in 1..2 loop
    exit when bit_count(found) < 2 * wanted;
    length := reached(array(select d & found from unnest(lengths) with ordinality l(d, n) order by n),
      greatest(1, (bit_count(found) * half / 2)::integer));
    found := found & (~at_least(lengths, length)
      | at_least(digits, ceil(lowest * (1 + length_weight * length / (length + usual_length)))::integer));
  end loop;
  return found;
end $$;

-- Agents with enough chunks and enough chunks that may be unlisted, and agents whose lists have deleted chunks.
create or replace function agents_to_list(min_chunks integer, min_unlisted integer) returns table (organization_id uuid, agent_id uuid)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select u.organization_id, u.agent_id
  from (
    select d.organization_id, d.agent_id from documents d
    where d.active_revision is not null and d.active_revision is distinct from d.listed_revision
    group by d.organization_id, d.agent_id having sum(d.chunk_count) >= min_unlisted) u
  where (
    select sum(d.chunk_count) from documents d
    where d.organization_id = u.organization_id and d.agent_id = u.agent_id and d.active_revision is not null) >= min_chunks
  union
  select o.organization_id, o.agent_id from deleted_ordinals o;
end;

-- Removes deleted chunks from an agent's lists and dissolves a block that is less than half full. Then gives about `max_chunks` chunks of
-- unlisted documents an ordinal and adds them to the lists. @returns the number of added chunks
create or replace function list_chunks(organization uuid, agent uuid, max_chunks integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_hashagg = off set jit = off set lock_timeout = '500ms' as $$
#variable_conflict use_column
declare
  first integer;
  added integer;
  sparse integer;
  chosen uuid[];
begin
  insert into listed_agents (organization_id, agent_id)
  select a.organization_id, a.id from agents a where a.organization_id = organization and a.id = agent on conflict do nothing;
  select next_ordinal into first from listed_agents where organization_id = organization and agent_id = agent for update skip locked;
  if not found then return 0; end if;
  with gone as (
    delete from deleted_ordinals where organization_id = organization and agent_id = agent returning ordinals)
  update term_lists l set present = l.present & ~b.bits
  from (select array_agg(o) as ordinals from gone, unnest(gone.ordinals) o) g, bits_of(g.ordinals) b
  where l.organization_id = organization and l.agent_id = agent and l.term = 0 and l.block = b.block;
  select block into sparse from term_lists
  where organization_id = organization and agent_id = agent and term = 0 and block < first / 16384
    and bit_count(present) < 16384 / 2
  order by block limit 1;
  if found then
    with unlisted as (
      update chunk_terms set ordinal = null
      where organization_id = organization and agent_id = agent and ordinal >= sparse * 16384 and ordinal < (sparse + 1) * 16384
      returning document_id)
    update documents set listed_revision = null where organization_id = organization and id in (select document_id from unlisted);
    delete from term_lists where organization_id = organization and agent_id = agent and block = sparse;
  end if;
  select array_agg(id) into chosen
  from (
    select id, sum(chunk_count) over (order by id) - chunk_count as before
    from (
      select id, chunk_count from documents
      where organization_id = organization and agent_id = agent and active_revision is not null
        and listed_revision is distinct from active_revision
      order by id limit 500 for no key update skip locked) d) d
  where before < max_chunks;
  with numbered as (
    update chunk_terms t set ordinal = first + n.n
    from (
      select t.place, (row_number() over (order by d.id, t.revision, t.chunk_index))::integer - 1 as n
      from documents d cross join lateral (
        select ctid as place, revision, chunk_index from chunk_terms
        where organization_id = organization and agent_id = agent and document_id = d.id and ordinal is null
          and revision <= d.active_revision offset 0) t
      where d.organization_id = organization and d.id = any (chosen)) n
    where t.ctid = n.place
    returning t.ordinal, t.length, t.terms),
  entries as (
    select 0 as term, ordinal, 1 as frequency from numbered
    union all
    select -1 - digit, ordinal, 1 from numbered, generate_series(0, 15) digit where least(length, 65535) >> digit & 1 = 1
    union all
    select split_part(e, ':', 1)::integer, ordinal, split_part(e, ':', 2)::integer
    from numbered, string_to_table(btrim(split_part(terms::text, '/', 1), '{}'), ',') e where e <> ''),
  added as (
    insert into term_lists as l (organization_id, agent_id, term, block, present, repeated)
    select organization, agent, term, ordinal / 16384, bit_or(set_bit(0::bit(16384), ordinal % 16384, 1)),
      bit_or(set_bit(0::bit(16384), ordinal % 16384, 1)) filter (where frequency > 1)
    from entries group by term, ordinal / 16384
    on conflict (organization_id, agent_id, term, block) do update
    set present = l.present | excluded.present,
      repeated = coalesce(l.repeated | excluded.repeated, l.repeated, excluded.repeated))
  select count(*) into added from numbered;
  update documents set listed_revision = active_revision
  where organization_id = organization and id = any (chosen);
  update listed_agents set next_ordinal = next_ordinal + added where organization_id = organization and agent_id = agent;
  return added;
end $$;

create or replace function delete_terms_of_chunks() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if tg_relid <> 'chunks'::regclass then raise insufficient_privilege; end if;
  with gone as (
    delete from chunk_terms t using deleted d
    where t.organization_id = d.organization_id and t.agent_id = d.agent_id and t.document_id = d.document_id
      and t.revision = d.revision and t.chunk_index = d.chunk_index returning t.*)
  insert into deleted_ordinals (organization_id, agent_id, ordinals)
  select organization_id, agent_id, array_agg(ordinal) from gone
  where ordinal is not null and exists (select from agents a where (a.organization_id, a.id) = (gone.organization_id, agent_id)) group by 1, 2;
  return null;
end $$;
create or replace trigger delete_terms_of_chunks after delete on chunks referencing old table as deleted
  for each statement execute function delete_terms_of_chunks();
