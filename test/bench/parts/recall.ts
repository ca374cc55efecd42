import { type Kind, kinds, vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { type Cuecard, openCuecard, textsOf } from '../stage/cuecard.ts'
import { exactOf } from '../stage/exact.ts'
import { loadOurs } from '../stage/load.ts'
import { analyze, truncate } from '../stage/tables.ts'

const limit = 10
/** Loading one kind may take so long: sizes that would take longer are left out. */
const maxSeconds = { quick: 7, full: 200 }

export const recall: Part = {
  name: 'recall',
  title: `Recall@${limit} against exact float32, peers being exact`,
  async *run(bench) {
    const { isQuick, server } = bench
    const sizes = isQuick || !server.isNative ? [10, 100, 1000, 5000] : [10, 100, 1000, 5000, 20_000, 100_000]
    const cuecard = await openCuecard(server)
    try {
      for (const kind of kinds) {
        await truncate(cuecard.database)
        yield* measure(bench, cuecard, kind, sizes)
      }
    } finally {
      await cuecard.close()
    }
  },
}

/** One agent, which grows from size to size. */
async function* measure(bench: Bench, cuecard: Cuecard, kind: Kind, sizes: number[]): AsyncGenerator<Measurement> {
  const agent = await cuecard.agent(await cuecard.organization())
  const seed = 5
  const vectors = await vectorsOf(kind, seed, sizes.at(-1)!)
  const seconds = bench.isQuick ? maxSeconds.quick : maxSeconds.full
  const start = performance.now()
  const secondsSoFar = () => (performance.now() - start) / 1000
  let loaded = 0
  for (const size of sizes) {
    const expected = loaded < 100 ? 0 : (secondsSoFar() * size) / loaded
    if (expected > seconds) {
      bench.progress(`${kind}: ${size} chunks are left out, loading them would take ${Math.round(expected)} s`)
      return
    }
    bench.progress(`recall, ${kind}, ${size} chunks`)
    await loadOurs(cuecard, agent, { seed, vectors }, { from: loaded, to: size })
    loaded = size
    await analyze(cuecard.database)
    const exact = exactOf(vectors, size)
    const found: number[] = []
    for (let n = 0; n < (bench.isQuick ? 10 : 20); n++) {
      const query = await vectors.query(n, size)
      const event = cuecard.event('POST', `${agent.path}/search`, agent.key, { embedding: [...query], limit })
      found.push(exact.recall(query, textsOf(await cuecard.search(event)), limit))
    }
    yield {
      work: `${kind}, ${size.toLocaleString('en')} chunks`,
      unit: '',
      better: 'more',
      figure: 'mean',
      goal: { atLeast: 0.99 },
      samples: { [ours]: found },
      size,
    }
  }
}
