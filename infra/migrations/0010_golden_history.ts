import { inTransaction } from './steps.ts'

/** The turns before a golden question in its call. */
export const steps = [
  inTransaction(`
    alter table golden_questions add column history text[] not null default '{}'; -- oldest first
    create or replace trigger count_golden_question_change
      after insert or delete or update of question, history, document_id, words, expects_nothing, within, on_failure, as_of
      on golden_questions for each row execute function count_golden_question_change();
    grant insert (history), update (history) on golden_questions to cuecard_dashboard, cuecard_questions;`),
]
