import { vectorsOf } from '../data/vectors.ts'
import { type Bench, LeftOut, ours, type Part } from '../part.ts'
import { interleaved } from '../rounds.ts'
import { type Agent, type Cuecard, openCuecard } from '../stage/cuecard.ts'
import { type Content, loadOurs } from '../stage/load.ts'
import { analyze, copyOrganization } from '../stage/tables.ts'

const agentSizes = [1000, 20_000]
const few = 10_000
const many = 1_000_000

export const tableSize: Part = {
  name: 'table-size',
  title: 'The same agent in a small and in a large table',
  async *run(bench) {
    if (bench.isQuick || !bench.server.isNative)
      throw new LeftOut('left out: a million chunks take minutes to write, and a server')
    const [small, large] = [await openCuecard(bench.server), await openCuecard(bench.server)]
    try {
      const contents = await Promise.all(
        agentSizes.map(
          async (size): Promise<Content> => ({ seed: size, vectors: await vectorsOf('clustered', size, size) }),
        ),
      )
      const inSmall = await load(bench, small, contents, few)
      const inLarge = await load(bench, large, contents, many)
      for (const [i, size] of agentSizes.entries()) {
        const { vectors } = contents[i]!
        const search = (cuecard: Cuecard, agent: Agent) => async (round: number) => {
          const embedding = [...(await vectors.query(Math.max(0, round), size))]
          const event = cuecard.event('POST', `${agent.path}/search`, agent.key, { embedding, limit: 10 })
          const start = performance.now()
          await cuecard.search(event)
          return performance.now() - start
        }
        const contestants = { few: search(small, inSmall[i]!), many: search(large, inLarge[i]!) }
        const results = await interleaved(contestants, { rounds: 60, seconds: 40, warmUps: 3 })
        const work = `${size.toLocaleString('en')} chunks among`
        yield {
          work: `${work} ${few.toLocaleString('en')}: p50`,
          unit: 'ms',
          better: 'less',
          samples: { [ours]: results.few! },
        }
        yield {
          work: `${work} ${many.toLocaleString('en')}: p50`,
          unit: 'ms',
          better: 'less',
          samples: { [ours]: results.many! },
        }
        const ratios = results.many!.map((milliseconds, round) => milliseconds / results.few![round]!)
        yield {
          work: `${work} ${many.toLocaleString('en')}: times as long`,
          unit: '×',
          better: 'less',
          goal: { atMost: 1.3 },
          samples: { [ours]: ratios },
        }
      }
    } finally {
      await small.close()
      await large.close()
    }
  },
}

async function load(bench: Bench, cuecard: Cuecard, contents: Content[], others: number): Promise<Agent[]> {
  const organization = await cuecard.organization()
  const agents: Agent[] = []
  for (const [i, content] of contents.entries()) {
    const agent = await cuecard.agent(organization)
    await loadOurs(cuecard, agent, content, { from: 0, to: agentSizes[i]! })
    agents.push(agent)
  }
  const filler = await cuecard.organization()
  const content = { seed: 2, vectors: await vectorsOf('clustered', 2, few) }
  await loadOurs(cuecard, await cuecard.agent(filler), content, { from: 0, to: few })
  for (let rows = few; rows < others; rows += few) {
    if (rows % 100_000 === 0) bench.progress(`a table of ${rows.toLocaleString('en')} chunks`)
    await copyOrganization(cuecard.database, filler.id)
  }
  bench.progress('vacuum analyze')
  await analyze(cuecard.database)
  return agents
}
