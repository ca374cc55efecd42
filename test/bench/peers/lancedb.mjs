import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * LanceDB in this process as its documentation sets it up: an index of words, and reciprocal rank fusion. It recommends no index of
 * vectors up to 100,000 rows. An agent has a table.
 */
export async function lanceDb() {
  // It warns at every search, and reads this as it loads.
  process.env.LANCEDB_LOG ??= 'error'
  const { connect, Index, rerankers } = await import('@lancedb/lancedb')
  const folder = await mkdtemp(join(tmpdir(), 'lancedb-'))
  const database = await connect(folder)
  const reranker = await rerankers.RRFReranker.create()
  const tables = new Map()
  const textsOf = async (query, limit) => (await query.select(['text']).limit(limit).toArray()).map(({ text }) => text)
  const ask = (agent, question) => tables.get(agent).query().fullTextSearch(question)
  return {
    // LanceDB never finished adding 60,000.
    maxChunks: 20_000,
    async add(agent, rows) {
      const table = await database.createTable(agent, rows)
      await table.createIndex('text', { config: Index.fts() })
      tables.set(agent, table)
    },
    byWords: (agent, question, limit) => textsOf(ask(agent, question), limit),
    byMeaning: (agent, _, limit, vector) =>
      textsOf(tables.get(agent).query().nearestTo(vector).distanceType('cosine'), limit),
    hybrid: (agent, question, limit, vector) =>
      textsOf(ask(agent, question).nearestTo(vector).distanceType('cosine').rerank(reranker), limit),
    async close() {
      database.close()
      await rm(folder, { recursive: true })
    },
  }
}
