import { question } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'
import { openCuecard } from '../stage/cuecard.ts'
import { loadOurs } from '../stage/load.ts'
import { analyze, endIdleSessions } from '../stage/tables.ts'

const chunks = isShort ? 33 : 1000
const turns = 4
const alone = 'the question alone'

/** Measures the cost of a call's memory: the same hybrid questions with earlier turns and without. */
export const calls: Part = {
  name: 'calls',
  title: 'A question of a call',
  async *run({ server }) {
    const cuecard = await openCuecard(server)
    try {
      const agent = await cuecard.agent(await cuecard.organization())
      const content = { seed: chunks, vectors: await vectorsOf('clustered', chunks, chunks) }
      await loadOurs(cuecard, agent, content, { from: 0, to: chunks })
      await analyze(cuecard.database)
      await endIdleSessions(cuecard.database)
      const rows = await cuecard.database.query('select id from chunks where agent_id = $1 order by id', [
        agent.agentId,
      ])
      const asked = (round: number) => question(content.seed, (Math.max(0, round) * 7919) % chunks)
      const ways: Record<string, (round: number) => object> = {
        [alone]: () => ({}),
        history: (round) => ({ history: Array.from({ length: turns }, (_, i) => asked(round + i + 1)) }),
        seen: (round) => ({ seen: rows.slice(round + 30, round + 30 + 5 * turns).map(({ id }) => id) }),
        call_id: (round) => ({ call_id: `call ${Math.floor(round / turns)}` }),
      }
      const contestants = Object.fromEntries(
        Object.entries(ways).map(([way, more]) => [
          way,
          async (round: number) => {
            const embedding = [...(await content.vectors.query(round, chunks))]
            const body = { query: asked(round), embedding, limit: 5, ...more(round) }
            const event = cuecard.event('POST', `${agent.path}/search`, agent.key, body)
            return await millisecondsOf(() => cuecard.search(event))
          },
        ]),
      )
      const times = await interleaved(contestants, { rounds: 200, seconds: 60, warmUps: 30 })
      for (const way of Object.keys(ways).filter((each) => each !== alone))
        yield {
          work: `${chunks.toLocaleString('en')} chunks, a question with \`${way}\`: p50`,
          unit: 'ms',
          better: 'less',
          samples: { [ours]: times[way]!, [alone]: times[alone]! },
        }
    } finally {
      await cuecard.close()
    }
  },
}
