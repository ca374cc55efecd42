import { inTransaction } from './steps.ts'

const isOwn = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`
const searching = 'cuecard_search, cuecard_mcp, cuecard_platforms'

const statements = [
  `alter table organizations add column log_questions boolean not null default false`,

  // What callers asked, as they said it, of organizations that want to know: nothing of who asked, on which line, with which key.
  `create table question_log (
    organization_id uuid not null,
    agent_id uuid not null,
    id uuid not null,
    question text not null check (char_length(question) <= 500),
    mode text not null check (mode in ('hybrid', 'semantic', 'keyword')),
    is_degraded boolean not null,
    hits integer not null,
    best_score double precision,
    asked_at timestamptz(3) not null default now(),
    primary key (organization_id, agent_id, id),
    foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
  )`,
  // How many came in this hour; and what is old.
  `create index question_log_of_organization on question_log (organization_id, asked_at)`,
  `create index question_log_by_age on question_log (asked_at)`,

  // Whoever writes: nothing once the organization has switched it off, though an instance may not know that yet, and nothing past
  // the hour's share, so that no flood of questions fills the disk. Some may slip past it that are written at the same time.
  `create function limit_question_log() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if not (select log_questions from organizations where id = new.organization_id) then
      return null;
    end if;
    if (select count(*) from (
          select from question_log
          where organization_id = new.organization_id and asked_at >= date_trunc('hour', now()) limit 200) q) >= 200 then
      return null;
    end if;
    return new;
  end $$`,
  `create trigger limit_question_log before insert on question_log for each row execute function limit_question_log()`,

  `alter table question_log enable row level security`,
  `create policy written on question_log for insert to ${searching} with check (${isOwn})`,
  `grant insert (organization_id, agent_id, id, question, mode, is_degraded, hits, best_score) on question_log to ${searching}`,
  // Read, deleted and switched in the dashboard alone.
  `create policy own_of_dashboard on question_log to cuecard_dashboard using (${isOwn})`,
  `grant select, delete on question_log to cuecard_dashboard`,
  `grant select (log_questions), update (log_questions) on organizations to cuecard_dashboard`,
  `create policy every_organization on question_log to cuecard_sweeper using (true)`,
  `grant select (organization_id, agent_id, id, asked_at), delete on question_log to cuecard_sweeper`,

  // As find_api_key, which the release before calls, and open_session. With the setting, so that nobody asks for it apart.
  `create function find_key(key_hash bytea)
    returns table (id uuid, organization_id uuid, permissions text[], expires_at timestamptz, cursor_key bytea, log_questions boolean)
    language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select k.id, k.organization_id, k.permissions, k.expires_at, o.cursor_key, o.log_questions
      from api_keys k join organizations o on o.id = k.organization_id
      where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
    end`,
  `revoke execute on function find_key(bytea) from public`,
  `grant execute on function find_key(bytea)
    to cuecard_documents, cuecard_chunks, cuecard_organization, cuecard_agents, ${searching}`,
]

export const steps = [inTransaction(...statements)]
