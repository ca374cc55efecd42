import { inTransaction } from './steps.ts'

const dashboards = 'cuecard_crawler, cuecard_documents, cuecard_dashboard'

/** The pages of a file: the offset in the text where each begins, and the page on which each served chunk begins. */
export const steps = [
  inTransaction(`
    alter table documents
      add column page_starts jsonb, -- pairs of an offset in the extracted text and a page's, sheet's or slide's number or name
      add column chunk_pages jsonb; -- the page of each served chunk, by index
    grant update (page_starts, chunk_pages) on documents to ${dashboards}, cuecard_embedding;
    grant update (page_starts) on documents to cuecard_extraction, cuecard_operator;
    grant update (chunk_pages) on documents to cuecard_chunks;
    grant select (page_starts) on documents to cuecard_embedding, cuecard_operator;
    grant select (chunk_pages, external_id) on documents to cuecard_search, cuecard_mcp, cuecard_platforms;`),
]
