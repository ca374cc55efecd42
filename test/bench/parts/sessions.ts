import { sql } from 'kysely'
import type { AgentId } from '../../../shared/ids.ts'
import { loadedAgents } from '../../../shared/retrieval/index/loaded-agents.ts'
import { question } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'
import { type Agent, type Cuecard, openCuecard } from '../stage/cuecard.ts'
import { loadOurs } from '../stage/load.ts'
import { analyze, endIdleSessions } from '../stage/tables.ts'

const sizes = isShort ? [33] : [33, 1000, 20_000]
/** What Neon's proxy keeps for all logins together. */
const keptSessions = 20

/**
 * Measures what a search costs beyond the usual: on sessions of the database that have planned nothing yet, where the instance has not
 * loaded the agent, and where a document has changed since the search before.
 */
export const sessions: Part = {
  name: 'sessions',
  title: 'Search on a fresh session of the database, of an agent that is not loaded, after a change',
  async *run({ server, progress }) {
    // The embedded database has one session.
    if (!server.isNative) return
    const cuecard = await openCuecard(server)
    try {
      const organization = await cuecard.organization()
      for (const size of sizes) {
        progress(`loading an agent of ${size} chunks`)
        const agent = await cuecard.agent(organization)
        const { path, key } = agent
        const content = { seed: size, vectors: await vectorsOf('clustered', size, size) }
        await loadOurs(cuecard, agent, content, { from: 0, to: size })
        await analyze(cuecard.database)
        for (const mode of ['semantic', 'hybrid']) {
          const search = (before?: (round: number) => unknown) => async (round: number) => {
            const n = (Math.max(0, round) * 7919) % size
            const embedding = [...(await content.vectors.query(n, size))]
            const query = mode === 'hybrid' && { query: question(size, n) }
            const event = cuecard.event('POST', `${path}/search`, key, { mode, embedding, limit: 10, ...query })
            await before?.(round)
            return await millisecondsOf(() => cuecard.search(event))
          }
          const measured = async (before?: (round: number) => unknown) =>
            (await interleaved({ search: search(before) }, { rounds: 40, seconds: 30, warmUps: 30 })).search!
          await endIdleSessions(cuecard.database)
          const warm = await measured()
          await endIdleSessions(cuecard.database)
          await fillPool(cuecard)
          const fresh = await measured()
          const work = `${size.toLocaleString('en')} chunks, ${mode}`
          const samples = { [ours]: fresh, 'warm session': warm }
          yield { work: `${work}: p50`, unit: 'ms', better: 'less', samples }
          yield { work: `${work}: p95`, unit: 'ms', better: 'less', figure: 'p95', samples }
          await endIdleSessions(cuecard.database)
          const scope = { organizationId: agent.id, agentId: agent.agentId as AgentId }
          const unloaded = await measured(() => loadedAgents.forget(scope))
          yield {
            work: `${work}, not loaded: p50`,
            unit: 'ms',
            better: 'less',
            samples: { [ours]: unloaded, 'warm session': warm },
          }
          const changed = await measured((round) => rename(cuecard, agent, `Bench ${round}`))
          yield {
            work: `${work}, one document changed: p50`,
            unit: 'ms',
            better: 'less',
            samples: { [ours]: changed, 'warm session': warm },
          }
        }
      }
    } finally {
      await cuecard.close()
    }
  },
}

/** Gives an agent's first document another title. */
async function rename({ database }: Cuecard, { agentId }: Agent, title: string): Promise<void> {
  await database.query(
    'update documents set title = $2 where id = (select id from documents where agent_id = $1 order by id limit 1)',
    [agentId, title],
  )
}

/** Gives the proxy as many idle sessions of another login as it keeps: then it closes each session of a search after its request. */
async function fillPool({ crawler }: Cuecard): Promise<void> {
  await Promise.all(Array.from({ length: keptSessions }, () => sql`select pg_sleep(0.5)`.execute(crawler.db)))
}
