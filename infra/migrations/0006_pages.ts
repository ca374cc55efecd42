import { inTransaction } from './steps.ts'

const dashboards = 'cuecard_crawler, cuecard_documents, cuecard_dashboard'

/** A file's pages: where each begins in the text, and on which one each served chunk begins. */
export const steps = [
  inTransaction(`
    alter table documents
      add column page_starts jsonb, -- of the extracted text: pairs of an offset and the number or name of a page, sheet or slide
      add column chunk_pages jsonb; -- of the served chunks, by index
    grant update (page_starts, chunk_pages) on documents to ${dashboards}, cuecard_embedding;
    grant update (page_starts) on documents to cuecard_extraction, cuecard_operator;
    grant update (chunk_pages) on documents to cuecard_chunks;
    grant select (page_starts) on documents to cuecard_embedding, cuecard_operator;
    grant select (chunk_pages, external_id) on documents to cuecard_search, cuecard_mcp, cuecard_platforms;`),
]
