import { section } from '../data/texts.ts'
import { type Vectors, vectorsOf } from '../data/vectors.ts'
import { type Measurement, ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'
import { type Cuecard, openCuecard } from '../stage/cuecard.ts'
import { documentsOf } from '../stage/load.ts'
import type { Row, Store } from '../stage/peers.ts'
import { analyze, countChunks, truncate } from '../stage/tables.ts'

const seed = 1
/** Requests in flight, as many as pg's pool has connections. */
const parallel = 10
/** The batches in flight with which Lambda starts to poll a standard queue. */
const pollers = 5
const perBatch = 100
const warmUps = 3

export const ingest: Part = {
  name: 'ingest',
  title: 'Ingest, embedder of zero latency',
  async *run({ server, peers }) {
    const chunks = isShort ? 50 : server.isNative ? 1000 : 300
    const cuecard = await openCuecard(server)
    const database = await server.forPeers()
    const stores = await peers.stores(database)
    const vectors = await vectorsOf('clustered', seed, chunks)
    try {
      yield {
        work: `1 document of ${chunks.toLocaleString('en')} chunks`,
        ...(await measure(cuecard, stores, vectors, chunks, chunks)),
      }
      yield {
        work: `${chunks / 10} documents of 10 chunks`,
        ...(await measure(cuecard, stores, vectors, chunks, 10)),
      }
    } finally {
      for (const store of Object.values(stores)) await store.close()
      await database.close()
      await cuecard.close()
    }
  },
}

/** @param size chunks of a document */
async function measure(
  cuecard: Cuecard,
  stores: Record<string, Store>,
  vectors: Vectors,
  chunks: number,
  size: number,
): Promise<Omit<Measurement, 'work'>> {
  const prepared = Array.from({ length: chunks }, (_, chunk) => vectors.of(chunk))
  // Each round has new texts, so that a worker's caches of words and texts are cold.
  const seedOf = (round: number) => seed + warmUps + round
  const batchesOf = (round: number) => {
    const rows = prepared.map(
      (vector, chunk): Row => ({ agent: 'agent', chunk, text: section(seedOf(round), chunk), vector: [...vector] }),
    )
    return Array.from({ length: chunks / size }, (_, i) => rows.slice(i * size, (i + 1) * size))
  }
  cuecard.prepare((topic) => prepared[topic]!)
  const rowsPerSecond = async (work: () => Promise<void>) => (chunks * 1000) / (await millisecondsOf(work))

  // Gathers statistics, as a table in use has them: without any, a foreign key's check reads all documents.
  const contestants: Record<string, (round: number) => Promise<number>> = {
    async [ours](round) {
      await truncate(cuecard.database)
      const agent = await cuecard.agent(await cuecard.organization())
      const contents = documentsOf(seedOf(round), { from: 0, to: chunks }, size)
      const documents = contents.map((content) => ({ title: 'Bench', content }))
      const events = Array.from({ length: Math.ceil(documents.length / perBatch) }, (_, i) => {
        const batch = documents.slice(i * perBatch, (i + 1) * perBatch)
        return cuecard.event('POST', `${agent.path}/batch`, agent.key, { documents: batch })
      })
      const speed = await rowsPerSecond(() => ingestAll(cuecard, events))
      const stored = await countChunks(cuecard.database, agent.agentId)
      if (stored !== chunks) throw new Error(`${stored} chunks are stored, not ${chunks}`)
      await analyze(cuecard.database)
      return speed
    },
  }
  for (const [name, store] of Object.entries(stores))
    contestants[name] = async (round) => {
      await store.reset()
      const batches = batchesOf(round)
      const speed = await rowsPerSecond(() => eachOf(batches, (batch) => store.add(batch)))
      await store.analyze()
      return speed
    }
  return {
    unit: 'rows/s',
    better: 'more',
    samples: await interleaved(contestants, { rounds: 9, seconds: 90, warmUps }),
    remark: 'Cuecard also counts tokens, cuts the text and keeps its documents; peers store texts that are cut.',
  }
}

/** A poll takes all queued messages, up to a batch. While all workers are busy, messages queue up, as on AWS. */
async function ingestAll(cuecard: Cuecard, events: Parameters<Cuecard['createDocument']>[0][]): Promise<void> {
  const busy = new Set<Promise<void>>()
  await eachOf(events, async (event) => {
    await cuecard.createDocument(event)
    while (busy.size < pollers) {
      // A failure shows in the count of stored documents.
      const work: Promise<void> = cuecard
        .work()
        .catch(console.error)
        .finally(() => busy.delete(work))
      busy.add(work)
    }
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
