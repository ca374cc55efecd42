import { PGVectorStore } from '@langchain/community/vectorstores/pgvector'
import pg from 'pg'

/**
 * LangChain's PGVectorStore as its documentation sets it up; `isIndexed` adds what a careful user would: an index for the filter, and
 * vectors in their rows. An HNSW index finds too few of a small agent's among all agents' vectors.
 */
export function langChain({ url, max }, tableName, isIndexed) {
  const pool = new pg.Pool({ connectionString: url, max })
  pool.on('error', () => {})
  const store = new PGVectorStore(undefined, { pool, tableName })
  const search = (agent, vector, limit) => store.similaritySearchVectorWithScore(vector, limit, { agent })
  return {
    async reset() {
      await pool.query(`drop table if exists ${tableName}`)
      await store.ensureTableInDatabase(1536)
      if (!isIndexed) return
      await pool.query(`create index on ${tableName} ((metadata->>'agent'))`)
      await pool.query(`alter table ${tableName} alter embedding set storage plain`)
    },
    add: (rows) =>
      store.addVectors(
        rows.map((row) => row.vector),
        rows.map(({ agent, chunk, text }) => ({ pageContent: text, metadata: { agent, chunk } })),
      ),
    search: async (...query) => (await search(...query)).map(([document]) => document.pageContent),
    insertFrom: (source) =>
      `insert into ${tableName} (text, metadata, embedding)
        select text, jsonb_build_object('agent', agent, 'chunk', chunk), vector from ${source}`,
    analyze: () => pool.query(`vacuum analyze ${tableName}`),
    query: (text, values) => pool.query(text, values),
    close: () => pool.end(),
  }
}
