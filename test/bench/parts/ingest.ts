import { section } from '../data/texts.ts'
import { type Vectors, vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { type Cost, costOf, interleaved, pick } from '../rounds.ts'
import { type Cuecard, openCuecard } from '../stage/cuecard.ts'
import { documentsOf } from '../stage/load.ts'
import type { Row, Store } from '../stage/peers.ts'
import { countChunks, truncate } from '../stage/tables.ts'

const seed = 1
/** Requests in flight, as many as pg's pool has connections. */
const parallel = 10
/** Batches of messages in flight: with as many Lambda begins to poll a standard queue. */
const pollers = 5

function sizeOf({ isQuick, server }: Bench): number {
  if (isQuick) return server.isNative ? 300 : 100
  return server.isNative ? 1000 : 300
}

export const ingest: Part = {
  name: 'ingest',
  title: 'Ingest, embedder of zero latency',
  async *run(bench) {
    const { server, peers } = bench
    const chunks = sizeOf(bench)
    const cuecard = await openCuecard(server)
    const database = await server.forPeers()
    const stores = await peers.stores(database)
    const vectors = await vectorsOf('clustered', seed, chunks)
    try {
      yield* measure(
        bench,
        cuecard,
        stores,
        vectors,
        `1 document of ${chunks.toLocaleString('en')} chunks`,
        [chunks, chunks],
        3,
      )
      yield* measure(bench, cuecard, stores, vectors, `${chunks / 10} documents of 10 chunks`, [chunks, 10], 1.5)
    } finally {
      for (const store of Object.values(stores)) await store.close()
      await database.close()
      await cuecard.close()
    }
  },
}

async function* measure(
  { isQuick }: Bench,
  cuecard: Cuecard,
  stores: Record<string, Store>,
  vectors: Vectors,
  work: string,
  [chunks, size]: [number, number],
  times: number,
): AsyncGenerator<Measurement> {
  const contents = documentsOf(seed, { from: 0, to: chunks }, size)
  const prepared = Array.from({ length: chunks }, (_, chunk) => vectors.of(chunk))
  const rows = prepared.map(
    (vector, chunk): Row => ({ agent: 'agent', chunk, text: section(seed, chunk), vector: [...vector] }),
  )
  const batches = Array.from({ length: chunks / size }, (_, i) => rows.slice(i * size, (i + 1) * size))
  cuecard.prepare((topic) => prepared[topic]!)

  const contestants: Record<string, () => Promise<Cost<unknown>>> = {
    async [ours]() {
      await truncate(cuecard.database)
      const agent = await cuecard.agent(await cuecard.organization())
      const events = contents.map((content) =>
        cuecard.event('POST', agent.path, agent.key, { title: 'Bench', content }),
      )
      const cost = await costOf(() => ingestAll(cuecard, events))
      const stored = await countChunks(cuecard.database, agent.agentId)
      if (stored !== chunks) throw new Error(`${stored} chunks are stored, not ${chunks}`)
      return cost
    },
  }
  for (const [name, store] of Object.entries(stores))
    contestants[name] = async () => {
      await store.reset()
      return await costOf(() => eachOf(batches, (batch) => store.add(batch)))
    }
  const results = await interleaved(contestants, {
    rounds: isQuick ? 3 : 9,
    seconds: isQuick ? 8 : 90,
    warmUps: isQuick ? 1 : 3,
  })
  const remark = 'Cuecard also counts tokens, cuts the text and keeps its documents; peers store texts that are cut.'
  const rowsPerSecond = pick(results, ({ milliseconds }) => (chunks * 1000) / milliseconds)
  yield { work, unit: 'rows/s', better: 'more', goal: { times }, samples: rowsPerSecond, remark }
  const cpu = pick(results, ({ cpuMilliseconds }) => cpuMilliseconds / chunks)
  yield {
    work: `${work}: CPU`,
    unit: 'ms a row',
    better: 'less',
    ...(size === chunks && { goal: { atMost: 0.2 } }),
    samples: cpu,
  }
}

/** Who polls takes all that is queued, up to a batch; what comes while all are busy queues up, as on AWS. */
async function ingestAll(cuecard: Cuecard, events: Parameters<Cuecard['createDocument']>[0][]): Promise<void> {
  const busy = new Set<Promise<void>>()
  await eachOf(events, async (event) => {
    await cuecard.createDocument(event)
    if (busy.size === pollers) return
    // What fails is missed in the count of what is stored.
    const work: Promise<void> = cuecard
      .work()
      .catch(console.error)
      .finally(() => busy.delete(work))
    busy.add(work)
  })
  await Promise.all(busy)
}

async function eachOf<Item>(items: Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await act(item)
  }
  await Promise.all(Array.from({ length: parallel }, lane))
}
