import { type Kind, kinds, vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { isShort } from '../rounds.ts'
import { type Cuecard, openCuecard, textsOf } from '../stage/cuecard.ts'
import { exactOf } from '../stage/exact.ts'
import { loadOurs } from '../stage/load.ts'
import { analyze, truncate } from '../stage/tables.ts'

const limit = 10
const seed = 5

export const recall: Part = {
  name: 'recall',
  title: `Recall@${limit} against exact float32, peers being exact`,
  async *run(bench) {
    const cuecard = await openCuecard(bench.server)
    try {
      for (const kind of kinds) {
        await truncate(cuecard.database)
        yield* measure(bench, cuecard, kind)
      }
    } finally {
      await cuecard.close()
    }
  },
}

/** One agent, which grows from size to size. */
async function* measure({ server, progress }: Bench, cuecard: Cuecard, kind: Kind): AsyncGenerator<Measurement> {
  const sizes = isShort ? [10, 300] : [10, 100, 1000, 5000, ...(server.isNative ? [20_000, 100_000] : [])]
  const agent = await cuecard.agent(await cuecard.organization())
  const vectors = await vectorsOf(kind, seed, sizes.at(-1)!)
  let loaded = 0
  for (const size of sizes) {
    progress(`recall, ${kind}, ${size} chunks`)
    await loadOurs(cuecard, agent, { seed, vectors }, { from: loaded, to: size })
    loaded = size
    await analyze(cuecard.database)
    const exact = exactOf(vectors, size)
    const found: number[] = []
    for (let n = 0; n < 20; n++) {
      const query = await vectors.query(n, size)
      const event = cuecard.event('POST', `${agent.path}/search`, agent.key, { embedding: [...query], limit })
      found.push(exact.recall(query, textsOf(await cuecard.search(event)), limit))
    }
    const work = `${kind}, ${size.toLocaleString('en')} chunks`
    yield { work, unit: '', better: 'more', figure: 'mean', samples: { [ours]: found } }
  }
}
