import { inTransaction } from './steps.ts'

const searching = 'cuecard_mcp, cuecard_platforms, cuecard_search'

/** Questions and hits of each call in the last hour. */
export const steps = [
  inTransaction(`
    alter type question
      add attribute call_id text, -- the call to remember, or null
      add attribute turn uuid,
      add attribute said jsonb, -- the words of this turn, for later ones
      add attribute recalls boolean, -- true if the remembered turns count
      add attribute given integer, -- the maximum number of hits for the call
      add attribute min_score float8;
    -- A crash may empty it. A call's next question is then searched like a first one.
    create unlogged table call_turns (
      organization_id uuid not null,
      agent_id uuid not null,
      call_id text not null,
      id uuid not null,
      said jsonb not null, -- hashes of words, not text: see \`with_earlier_turns\`
      given uuid[] not null, -- ids of chunks
      asked_at timestamptz not null default now(),
      primary key (organization_id, agent_id, call_id, id),
      foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
    );
    create index call_turns_by_age on call_turns (asked_at);
    alter table call_turns enable row level security;
    grant select, insert, update (given), delete on call_turns to ${searching};
    grant select (organization_id, agent_id, call_id, id, asked_at), delete on call_turns to cuecard_sweeper;
    grant select (organization_id, agent_id, call_id, id), delete on call_turns to cuecard_operator;
    create policy own on call_turns to ${searching}
      using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
    create policy every_organization on call_turns to cuecard_sweeper using (true);
    create policy operator_reads on call_turns for select to cuecard_operator using (true);
    create policy operator_changes on call_turns to cuecard_operator using ((select require_operator_action()));`),
]
