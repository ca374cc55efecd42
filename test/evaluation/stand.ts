import type { Embedder } from '../../shared/embedding/embedder.ts'
import { openCuecard } from '../bench/stage/cuecard.ts'
import { openServer } from '../bench/stage/server.ts'
import type { Search } from './ask.ts'
import type { Business } from './labelled-set.ts'

/** An ordinary Wednesday, so that “on friday” means the same day whenever the evaluation runs. */
const moment = '2026-06-10T10:00:00Z'

/**
 * Cuecard as the benchmark starts it, on the embedded database or a scratch one of `serverUrl`.
 */
export async function openStand(serverUrl: string | undefined, embedder: Embedder) {
  const cuecard = await openCuecard(await openServer(serverUrl), embedder)
  const organization = await cuecard.organization()

  return {
    model: embedder.model,

    /** Makes an agent with the business's documents. @returns its search */
    async ingest({ name, documents, place = {} }: Business): Promise<Search> {
      const agent = await cuecard.agent(organization, place)
      const post = (path: string, body: unknown) => cuecard.event('POST', path, agent.key, body)
      const ids: string[] = []
      // One after the other: ties are broken by document id, whose order is that of creation.
      for (const document of documents)
        ids.push(JSON.parse(await cuecard.createDocument(post(agent.path, document))).id)
      await cuecard.work()
      for (const id of ids) {
        const { title, status, error_message } = JSON.parse(await cuecard.readDocument(agent, id))
        if (status !== 'completed') throw new Error(`${name}, ${title}: ${status}, ${error_message}`)
      }
      const chunks = await cuecard.database.query(
        'select c.id, d.title from chunks c join documents d using (organization_id, agent_id) where c.document_id = d.id and agent_id = $1',
        [agent.agentId],
      )
      return async ({ seen: titles, ...request }) => {
        const seen = titles && chunks.flatMap(({ id, title }) => (titles.includes(title!) ? [id!] : [])).slice(0, 100)
        return JSON.parse(await cuecard.search(post(`${agent.path}/search`, { as_of: moment, ...request, seen })))
      }
    },

    close: () => cuecard.close(),
  }
}
