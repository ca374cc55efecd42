import { buildIndex, inTransaction } from './steps.ts'

/** A person reports that a caller got a wrong answer. The index has the questions that the dashboard lists by this filter. */
export const steps = [
  inTransaction(
    'alter table question_log add column is_wrong boolean not null default false',
    'grant update (is_wrong) on question_log to cuecard_dashboard',
  ),
  buildIndex(
    'question_log_doubtful',
    'on question_log (organization_id, agent_id, id, answerable, is_wrong) where is_wrong or answerable < 0.5::real',
  ),
]
