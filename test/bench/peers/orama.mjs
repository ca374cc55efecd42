import { create, insertMultiple, search } from '@orama/orama'

/** Orama in this process's memory, set up as in its documentation; an agent has a database. */
export function orama() {
  const databases = new Map()
  const ask = async (agent, query) =>
    (await search(databases.get(agent), query)).hits.map(({ document }) => document.text)
  return {
    // Orama takes half a minute to load 20,000, and a second to search them.
    maxChunks: 5000,
    async add(agent, rows) {
      const database = create({ schema: { text: 'string', vector: 'vector[1536]' } })
      await insertMultiple(database, rows)
      databases.set(agent, database)
    },
    byWords: (agent, term, limit) => ask(agent, { term, limit }),
    // By default Orama ignores vectors with a cosine below 0.8, and these questions have no others.
    byMeaning: (agent, _, limit, value) =>
      ask(agent, { mode: 'vector', limit, similarity: 0, vector: { value, property: 'vector' } }),
    hybrid: (agent, term, limit, value) =>
      ask(agent, { mode: 'hybrid', term, limit, similarity: 0, vector: { value, property: 'vector' } }),
    close: async () => databases.clear(),
  }
}
