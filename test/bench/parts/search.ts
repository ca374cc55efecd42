import { vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { interleaved } from '../rounds.ts'
import { buffersOf } from '../stage/buffers.ts'
import { type Agent, type Cuecard, openCuecard, textsOf } from '../stage/cuecard.ts'
import { exactOf } from '../stage/exact.ts'
import { type Content, loadOurs, loadPeers } from '../stage/load.ts'
import type { Store } from '../stage/peers.ts'
import { analyze, copyOrganization } from '../stage/tables.ts'
import { searchModes } from './search-modes.ts'

const limit = 10
/** Loading agents may take so long in a quick run: larger ones are left out. */
const quickSeconds = 30

interface Sizes {
  agents: number[]
  table: number
  /** Other agents' chunks that are loaded; the rest of the table are copies of these. */
  filler: number
}

function sizesOf({ isQuick, server }: Bench): Sizes {
  if (!server.isNative) return { agents: [33, 100, 1000], table: isQuick ? 2000 : 6000, filler: 500 }
  if (isQuick) return { agents: [33, 100, 1000, 5000], table: 12_000, filler: 1000 }
  return { agents: [33, 100, 1000, 5000, 20_000, 60_000], table: 205_000, filler: 10_000 }
}

/** What is to be reached, by the agent's size. */
const mostMilliseconds: Record<number, number> = { 5000: 8, 20000: 15, 60000: 40 }

export const search: Part = {
  name: 'search',
  title: 'Search, vector given',
  async *run(bench) {
    const { server, peers } = bench
    const sizes = sizesOf(bench)
    const cuecard = await openCuecard(server)
    const database = await server.forPeers()
    const stores = await peers.stores(database)
    try {
      const agents = await load(bench, cuecard, stores, sizes)
      for (const [size, agent] of agents) yield* measure(bench, cuecard, stores, size, agent, sizes.table)
    } finally {
      for (const store of Object.values(stores)) await store.close()
      await database.close()
      await cuecard.close()
    }
  },
}

interface Loaded {
  agent: Agent
  content: Content
}

async function load(
  bench: Bench,
  cuecard: Cuecard,
  stores: Record<string, Store>,
  { agents, table, filler: fillerChunks }: Sizes,
): Promise<Map<number, Loaded>> {
  const all = Object.values(stores)
  for (const store of all) await store.reset()
  const organization = await cuecard.organization()
  const loaded = new Map<number, Loaded>()
  let rows = 0
  const start = performance.now()
  for (const size of agents) {
    const expected = rows < 1000 ? 0 : ((performance.now() - start) / 1000) * (size / rows)
    if (bench.isQuick && expected > quickSeconds) {
      bench.progress(`an agent of ${size} chunks is left out: loading it would take ${Math.round(expected)} s`)
      continue
    }
    bench.progress(`loading an agent of ${size} chunks`)
    const agent = await cuecard.agent(organization)
    const content = { seed: size, vectors: await vectorsOf('clustered', size, size) }
    await loadOurs(cuecard, agent, content, { from: 0, to: size })
    await loadPeers(bench.server, all, agent.agentId, content, { from: 0, to: size })
    loaded.set(size, { agent, content })
    rows += size
  }
  const filler = await cuecard.organization()
  const content = { seed: 2, vectors: await vectorsOf('clustered', 2, fillerChunks) }
  for (let copy = 0; rows < table; copy++, rows += fillerChunks) {
    if (copy % 5 === 0) bench.progress(`loading other agents: ${rows} of ${table} chunks`)
    if (copy === 0) await loadOurs(cuecard, await cuecard.agent(filler), content, { from: 0, to: fillerChunks })
    else await copyOrganization(cuecard.database, filler.id)
    await loadPeers(bench.server, all, `other agent ${copy}`, content, { from: 0, to: fillerChunks })
  }
  bench.progress('vacuum analyze')
  await analyze(cuecard.database)
  for (const store of all) await store.analyze()
  return loaded
}

async function* measure(
  bench: Bench,
  cuecard: Cuecard,
  stores: Record<string, Store>,
  size: number,
  { agent, content }: Loaded,
  table: number,
): AsyncGenerator<Measurement> {
  bench.progress(`searching an agent of ${size} chunks`)
  const rounds = bench.isQuick ? 15 : 40
  const queries = await Promise.all(Array.from({ length: rounds }, (_, n) => content.vectors.query(n, size)))
  const exact = exactOf(content.vectors, size)
  const query = (round: number) => queries[Math.max(0, round)]!
  const path = `${agent.path}/search`
  const contestants: Record<string, (round: number) => Promise<{ milliseconds: number; texts: string[] }>> = {
    async [ours](round) {
      const event = cuecard.event('POST', path, agent.key, { embedding: [...query(round)], limit })
      const start = performance.now()
      const body = await cuecard.search(event)
      return { milliseconds: performance.now() - start, texts: textsOf(body) }
    },
  }
  for (const [name, store] of Object.entries(stores))
    contestants[name] = async (round) => {
      const vector = [...query(round)]
      const start = performance.now()
      const texts = await store.search(agent.agentId, vector, limit)
      return { milliseconds: performance.now() - start, texts }
    }
  const results = await interleaved(contestants, { rounds, seconds: bench.isQuick ? 5 : 30, warmUps: 2 })

  const milliseconds: Record<string, number[]> = {}
  const recall: Record<string, number[]> = {}
  for (const [name, runs] of Object.entries(results)) {
    milliseconds[name] = runs.map((run) => run.milliseconds)
    recall[name] = runs.slice(0, 20).map(({ texts }, round) => exact.recall(query(round), texts, limit))
  }
  const work = `${size.toLocaleString('en')} chunks of ${table.toLocaleString('en')}`
  const atMost = mostMilliseconds[size]
  const goal = atMost === undefined ? { times: 2 } : { atMost }
  const shared = { unit: 'ms', better: 'less', samples: milliseconds, size } as const
  yield { ...shared, work: `${work}: p50`, goal }
  if (size <= 1000 && 'LangChain' in milliseconds) {
    const samples = { [ours]: milliseconds[ours]!, LangChain: milliseconds.LangChain! }
    const { size: _, ...besideShipped } = { ...shared, samples }
    yield { ...besideShipped, work: `${work}: p50, LangChain as shipped`, goal: { times: 6 } }
  }
  yield { ...shared, work: `${work}: p95`, figure: 'p95' }
  yield { work: `${work}: recall@${limit}`, unit: '', better: 'more', figure: 'mean', samples: recall, size }
  yield* buffers(cuecard, stores, size, agent, queries.slice(0, 3), work)
  yield* searchModes(bench, cuecard, { agent, content }, size, work)
}

async function* buffers(
  cuecard: Cuecard,
  stores: Record<string, Store>,
  size: number,
  agent: Agent,
  queries: Float32Array[],
  work: string,
): AsyncGenerator<Measurement> {
  const samples: Record<string, number[]> = { [ours]: [] }
  for (const query of queries) {
    const vector = [...query]
    const event = cuecard.event('POST', `${agent.path}/search`, agent.key, { embedding: vector, limit })
    samples[ours]!.push(await buffersOf(() => cuecard.search(event)))
    for (const [name, store] of Object.entries(stores)) {
      samples[name] ??= []
      samples[name].push(await store.buffers(agent.agentId, vector, limit))
    }
  }
  const goal = size === 20_000 ? { goal: { atMost: 2000 } } : {}
  yield { work: `${work}: buffers touched`, unit: '', better: 'less', ...goal, samples, size }
}
