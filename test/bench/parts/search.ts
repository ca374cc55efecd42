import { question } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { interleaved, millisecondsOf } from '../rounds.ts'
import { type Agent, type Cuecard, openCuecard, textsOf } from '../stage/cuecard.ts'
import { exactOf } from '../stage/exact.ts'
import { type Content, loadOurs, loadPeers } from '../stage/load.ts'
import type { Store } from '../stage/peers.ts'
import { analyze, copyOrganization } from '../stage/tables.ts'

const limit = 10
const rounds = 40

interface Sizes {
  agents: number[]
  table: number
  /** Other agents' chunks that are loaded; the rest of the table are copies of these. */
  filler: number
}

const onServer: Sizes = { agents: [33, 100, 1000, 5000, 20_000, 60_000], table: 205_000, filler: 10_000 }
const embedded: Sizes = { agents: [33, 100, 1000], table: 6000, filler: 500 }

interface Loaded {
  size: number
  agent: Agent
  content: Content
}

export const search: Part = {
  name: 'search',
  title: 'Search, vector given',
  async *run(bench) {
    const { server, peers } = bench
    const sizes = server.isNative ? onServer : embedded
    const cuecard = await openCuecard(server)
    const database = await server.forPeers()
    const stores = await peers.stores(database)
    try {
      for (const loaded of await load(bench, cuecard, Object.values(stores), sizes)) {
        bench.progress(`searching an agent of ${loaded.size} chunks`)
        const work = `${loaded.size.toLocaleString('en')} chunks of ${sizes.table.toLocaleString('en')}`
        yield* besidePeers(cuecard, stores, loaded, work)
        yield* byWords(cuecard, loaded, work)
      }
    } finally {
      for (const store of Object.values(stores)) await store.close()
      await database.close()
      await cuecard.close()
    }
  },
}

async function load(
  { server, progress }: Bench,
  cuecard: Cuecard,
  stores: Store[],
  { agents, table, filler: fillerChunks }: Sizes,
): Promise<Loaded[]> {
  for (const store of stores) await store.reset()
  const organization = await cuecard.organization()
  const loaded: Loaded[] = []
  let rows = 0
  for (const size of agents) {
    progress(`loading an agent of ${size} chunks`)
    const agent = await cuecard.agent(organization)
    const content = { seed: size, vectors: await vectorsOf('clustered', size, size) }
    await loadOurs(cuecard, agent, content, { from: 0, to: size })
    await loadPeers(server, stores, agent.agentId, content, size)
    loaded.push({ size, agent, content })
    rows += size
  }
  const filler = await cuecard.organization()
  const content = { seed: 2, vectors: await vectorsOf('clustered', 2, fillerChunks) }
  for (let copy = 0; rows < table; copy++, rows += fillerChunks) {
    if (copy % 5 === 0) progress(`loading other agents: ${rows} of ${table} chunks`)
    if (copy === 0) await loadOurs(cuecard, await cuecard.agent(filler), content, { from: 0, to: fillerChunks })
    else await copyOrganization(cuecard.database, filler.id)
    await loadPeers(server, stores, `other agent ${copy}`, content, fillerChunks)
  }
  progress('vacuum analyze')
  await analyze(cuecard.database)
  for (const store of stores) await store.analyze()
  return loaded
}

async function* besidePeers(
  cuecard: Cuecard,
  stores: Record<string, Store>,
  { size, agent, content }: Loaded,
  work: string,
): AsyncGenerator<Measurement> {
  const queries = await Promise.all(Array.from({ length: rounds }, (_, n) => content.vectors.query(n, size)))
  const exact = exactOf(content.vectors, size)
  const query = (round: number) => queries[Math.max(0, round)]!
  const contestants: Record<string, (round: number) => Promise<{ milliseconds: number; texts: string[] }>> = {
    async [ours](round) {
      const event = cuecard.event('POST', `${agent.path}/search`, agent.key, { embedding: [...query(round)], limit })
      let body = ''
      const milliseconds = await millisecondsOf(async () => {
        body = await cuecard.search(event)
      })
      return { milliseconds, texts: textsOf(body) }
    },
  }
  for (const [name, store] of Object.entries(stores))
    contestants[name] = async (round) => {
      const vector = [...query(round)]
      let texts: string[] = []
      const milliseconds = await millisecondsOf(async () => {
        texts = await store.search(agent.agentId, vector, limit)
      })
      return { milliseconds, texts }
    }
  const results = Object.entries(await interleaved(contestants, { rounds, seconds: 30, warmUps: 2 }))
  const samples = Object.fromEntries(results.map(([name, runs]) => [name, runs.map((run) => run.milliseconds)]))
  const recall = Object.fromEntries(
    results.map(([name, runs]) => [
      name,
      runs.slice(0, 20).map(({ texts }, round) => exact.recall(query(round), texts, limit)),
    ]),
  )
  yield { work: `${work}: p50`, unit: 'ms', better: 'less', samples }
  yield { work: `${work}: p95`, unit: 'ms', better: 'less', figure: 'p95', samples }
  yield { work: `${work}: recall@${limit}`, unit: '', better: 'more', figure: 'mean', samples: recall }
}

/** A question of eight words that stand in one of the chunks, frequent ones among them; the provider's call is left out. */
async function* byWords(cuecard: Cuecard, { size, agent, content }: Loaded, work: string): AsyncGenerator<Measurement> {
  const asked = (mode: string) => async (round: number) => {
    const n = (Math.max(0, round) * 7919) % size
    const embedding = mode === 'keyword' ? {} : { embedding: [...(await content.vectors.query(n, size))] }
    const body = { query: question(content.seed, n), mode, limit, ...embedding }
    const event = cuecard.event('POST', `${agent.path}/search`, agent.key, body)
    return await millisecondsOf(() => cuecard.search(event))
  }
  const modes = { 'keyword arm': asked('keyword'), 'both arms': asked('hybrid') }
  const results = await interleaved(modes, { rounds, seconds: 20, warmUps: 3 })
  for (const [mode, samples] of Object.entries(results))
    yield { work: `${work}: ${mode}, p50`, unit: 'ms', better: 'less', samples: { [ours]: samples } }
}
