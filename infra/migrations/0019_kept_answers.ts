import { buildIndex, inTransaction, type Step } from './steps.ts'

const searching = 'cuecard_search, cuecard_mcp, cuecard_platforms'

/** The question log keeps the status and the value of each answer, and a golden question may expect a value. */
export const steps: readonly Step[] = [
  inTransaction(
    `alter table question_log
      add column status text not null default 'uncertain' -- of questions that the previous release keeps
        check (status in ('found', 'uncertain', 'nothing')),
      add column value jsonb -- {text, row, column, chunk_id, confidence}
    `,
    `grant insert (status, value) on question_log to ${searching}`,
    `update question_log set status = case
      when hits = '[]' or answerable < 0.15::real then 'nothing'
      when answerable < 0.5::real then 'uncertain'
      else 'found' end`,
    `create or replace function tell_of_unanswered_questions() returns void
      language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
    begin atomic
      with due as (
        update webhooks w set digested_on = (now() at time zone 'utc')::date
        where status = 'enabled' and 'questions.unanswered' = any (events) and digested_on < (now() at time zone 'utc')::date
        returning organization_id
      ), counted as (
        select q.organization_id, q.agent_id, count(*) as asked, count(*) filter (where q.status <> 'found') as unanswered
        from (select distinct organization_id from due) d
          join organizations o on o.id = d.organization_id and o.log_questions
          join question_log q on q.organization_id = o.id
        where q.asked_at >= ((now() at time zone 'utc')::date - 1) at time zone 'utc'
          and q.asked_at < ((now() at time zone 'utc')::date)::timestamp at time zone 'utc'
        group by 1, 2
      )
      select tell(organization_id, 'questions.unanswered', organization_id, jsonb_build_object(
          'day', (now() at time zone 'utc')::date - 1,
          'agents', jsonb_agg(jsonb_build_object('agent_id', agent_id, 'asked', asked, 'unanswered', unanswered))),
        ((now() at time zone 'utc')::date - 1)::text)
      from counted where unanswered > 0 group by organization_id;
    end`,
  ),
  {
    isTransaction: false,
    async run(client) {
      await client.query('drop index concurrently if exists question_log_doubtful')
    },
  },
  buildIndex(
    'question_log_doubtful',
    `on question_log (organization_id, agent_id, id, status, is_wrong) where is_wrong or status <> 'found'`,
  ),
  inTransaction(`
    alter table golden_questions
      add column value text, -- the expected value; null if there should be none
      add column expects_value boolean not null default false, -- false if the value is not checked
      drop constraint golden_questions_check,
      add constraint golden_questions_expectation check (
        expects_nothing = (coalesce(document_id::text, words) is null and not expects_value)
        and (expects_value or value is null)) not valid;
    create or replace trigger count_golden_question_change
      after insert or delete or update of question, history, document_id, words, value, expects_value, expects_nothing, within,
        on_failure, as_of
      on golden_questions for each row execute function count_golden_question_change();
    grant insert (value, expects_value), update (value, expects_value) on golden_questions to cuecard_dashboard, cuecard_questions;`),
  inTransaction('alter table golden_questions validate constraint golden_questions_expectation'),
]
