import { PgVector } from '@mastra/pg'

const indexName = 'mastra'

/** Mastra's PgVector with halves and its default index; an agent has a namespace, which its table is indexed by. */
export function mastra({ url, max }) {
  const store = new PgVector({ id: 'bench', connectionString: url, max, connectionTimeoutMillis: 600_000 })
  const { pool } = store
  pool.on('error', () => {})
  const search = (namespace, queryVector, topK) => store.query({ indexName, queryVector, topK, namespace })
  return {
    async reset() {
      if ((await store.listIndexes()).includes(indexName)) await store.deleteIndex({ indexName })
      await store.createIndex({ indexName, dimension: 1536, vectorType: 'halfvec' })
    },
    add: (rows) =>
      store.upsert({
        indexName,
        namespace: rows[0].agent,
        vectors: rows.map((row) => row.vector),
        metadata: rows.map(({ chunk, text }) => ({ chunk, text })),
      }),
    search: async (...query) => (await search(...query)).map(({ metadata }) => metadata.text),
    insertFrom: (source) =>
      `insert into ${indexName} (vector_id, namespace, metadata, embedding)
        select gen_random_uuid()::text, agent, jsonb_build_object('chunk', chunk, 'text', text), vector::halfvec from ${source}`,
    analyze: () => pool.query(`vacuum analyze ${indexName}`),
    query: (text, values) => pool.query(text, values),
    close: () => store.disconnect(),
  }
}
