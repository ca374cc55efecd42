import { inTransaction } from './steps.ts'

const asking =
  'cuecard_chunks, cuecard_crawler, cuecard_documents, cuecard_embedding, cuecard_mcp, cuecard_platforms, cuecard_questions, cuecard_search'

/** An agent has a time zone and public holidays, because “today” in a question is a day of its business. */
export const steps = [
  inTransaction(`
    alter table agents
      add column time_zone text, -- its IANA name; null, which means UTC, if nobody has chosen one
      add column holidays text; -- the ISO 3166 code of the country or region that has them
    grant insert (time_zone, holidays), update (time_zone, holidays) on agents to cuecard_agents, cuecard_dashboard;
    grant insert (time_zone, holidays) on agents to cuecard_operator;
    -- These ask callers' questions or golden questions.
    grant select (time_zone, holidays) on agents to cuecard_agents, ${asking};`),
]
