import { buildIndex, inTransaction } from './steps.ts'

const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`

/** The sweeper looks for public holidays that no text of an agent names. A webhook is told of each once, however often they are stored. */
export const steps = [
  inTransaction(`
    alter table agents
      add column missing_holidays jsonb not null default '[]', -- [{day, name}] in the next fortnight, in order
      add column holidays_due_at timestamptz not null default now(); -- the next check, if it has holidays
    create function tell_of_missing_holidays() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if tg_relid <> 'agents'::regclass then raise insufficient_privilege; end if;
      perform tell(new.organization_id, 'hours.missing_for_holiday', new.id,
          jsonb_build_object('agent_id', new.id) || missing.holiday, missing.holiday ->> 'day')
        from jsonb_array_elements(new.missing_holidays) missing(holiday);
      return null;
    end $$;
    create trigger tell_of_missing_holidays after update of missing_holidays on agents for each row
      when (new.missing_holidays <> '[]') execute function tell_of_missing_holidays();
    grant select (time_zone, holidays, holidays_due_at), update (missing_holidays, holidays_due_at) on agents to cuecard_sweeper;
    grant update (missing_holidays, holidays_due_at) on agents to cuecard_agents, cuecard_dashboard;
    grant select (active_revision, valid_from, valid_until) on documents to cuecard_sweeper;`),
  // The sweeper reads the chunks of one organization at a time.
  inTransaction(`
    grant select (organization_id, agent_id, document_id, revision, chunk_index, content) on chunks to cuecard_sweeper;
    create policy own_read on chunks for select to cuecard_sweeper using (${own});`),
  buildIndex('agents_with_holidays', 'on agents (holidays_due_at) where holidays is not null'),
]
