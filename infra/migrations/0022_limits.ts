import { inTransaction } from './steps.ts'

const counting = `cuecard_documents, cuecard_chunks, cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_agents,
  cuecard_organization, cuecard_dashboard`

const statements = [
  // The generic cell rate algorithm (ITU-T I.371): full_at is when a bucket of request_burst would be full again, and every request
  // puts it off by cost/requests_per_second, also those that it is too late to refuse. Nobody waits for the row: without a row
  // returned, nothing was counted. An empty bucket owes a minute at most; one that owes more, as after the clock was set back, owes
  // nothing.
  `drop function count_requests(integer, double precision, integer)`,
  `create function count_requests(requests integer, cost double precision, question_tokens integer)
    returns table (seconds_ahead double precision, requests_per_second integer, request_burst integer, tokens_per_day bigint,
      tokens_left bigint, day_ends_in double precision)
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
  #variable_conflict use_column
  declare
    own constant uuid := nullif(current_setting('cuecard.organization_id', true), '')::uuid;
    today constant date := (now() at time zone 'utc')::date;
  begin
    perform from request_meters m where m.organization_id = own for no key update skip locked;
    if not found then
      insert into request_meters (organization_id) select o.id from organizations o where o.id = own on conflict do nothing;
      if not found then return; end if;
    end if;
    return query
      with counted as (
        update request_meters m
        set full_at = least(
            greatest(case when m.full_at <= most.full_at then m.full_at end, clock_timestamp())
              + make_interval(secs => $2 / o.requests_per_second),
            most.full_at),
          day = greatest(m.day, today),
          requests = case when m.day >= today then m.requests else 0 end + $1,
          question_tokens = greatest(0, case when m.day >= today then m.question_tokens else 0 end + $3)
        from organizations o,
          lateral (select clock_timestamp() + make_interval(secs => o.request_burst::float8 / o.requests_per_second + 60) as full_at) most
        where m.organization_id = own and o.id = own
        returning m.full_at, m.question_tokens, o.requests_per_second, o.request_burst, o.tokens_per_day
      )
      select extract(epoch from c.full_at - clock_timestamp())::float8, c.requests_per_second, c.request_burst,
        c.tokens_per_day, c.tokens_per_day - c.question_tokens
          - coalesce((select t.tokens from embedded_tokens t where t.organization_id = own and t.day = today), 0),
        extract(epoch from (today + 1)::timestamp at time zone 'utc' - now())::float8
      from counted c;
  end $$`,
  `revoke execute on function count_requests(integer, double precision, integer) from public`,
  `grant execute on function count_requests(integer, double precision, integer) to ${counting}`,

  // Before a row is written: the constraint is checked when the row, with up to 4 MiB of content, has been.
  `create function limit_documents_of_agent() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if (select document_count from agents where organization_id = new.organization_id and id = new.agent_id) >= 10000 then
      raise check_violation using constraint = 'agents_document_limit', message = 'the agent has too many documents';
    end if;
    return new;
  end $$`,
  `revoke execute on function limit_documents_of_agent() from public`,
  `create trigger limit_documents_of_agent before insert on documents for each row execute function limit_documents_of_agent()`,
]

export const steps = [inTransaction(...statements)]
