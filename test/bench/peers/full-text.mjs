import pg from 'pg'

const table = 'full_text'

/** PostgreSQL's own full-text search as its documentation sets it up: a stored `tsvector` with a GIN index. Any word of a question counts. */
export function fullText({ url, max }) {
  const pool = new pg.Pool({ connectionString: url, max })
  pool.on('error', () => {})
  return {
    async reset() {
      await pool.query(`drop table if exists ${table}`)
      await pool.query(`create table ${table} (agent text not null, text text not null,
        words tsvector not null generated always as (to_tsvector('english', text)) stored)`)
      await pool.query(`create index on ${table} (agent)`)
      await pool.query(`create index on ${table} using gin (words)`)
    },
    insertFrom: (source) => `insert into ${table} (agent, text) select agent, text from ${source}`,
    async search(agent, question, limit) {
      const { rows } = await pool.query(
        `select text from ${table}, to_tsquery('english', $2) query
         where agent = $1 and words @@ query order by ts_rank_cd(words, query) desc limit $3`,
        [agent, question.match(/[a-z0-9]+/gi).join(' | '), limit],
      )
      return rows.map(({ text }) => text)
    },
    analyze: () => pool.query(`vacuum analyze ${table}`),
    query: (text, values) => pool.query(text, values),
    close: () => pool.end(),
  }
}
