import { existsSync, readFileSync } from 'node:fs'
import { indexLargeAgents } from '../../../functions/sweeper/large-agents.ts'
import { question, section } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'
import { type Agent, type Cuecard, openCuecard, textsOf } from '../stage/cuecard.ts'
import { exactOf } from '../stage/exact.ts'
import { withLatency } from '../stage/latency.ts'
import { type Content, loadOurs, loadPeers } from '../stage/load.ts'
import type { Service, Store, WordStore } from '../stage/peers.ts'
import { analyze, copyOrganization, endIdleSessions } from '../stage/tables.ts'

const limit = 10
const rounds = 40
/** After so many calls an instance runs compiled code. */
const warmUps = 30

interface Sizes {
  agents: number[]
  table: number
  /** Other agents' chunks that are loaded; the rest of the table are copies of these. */
  filler: number
}

const onServer: Sizes = { agents: [33, 100, 1000, 5000, 20_000, 60_000], table: 205_000, filler: 10_000 }
const embedded: Sizes = { agents: [33, 100, 1000], table: 6000, filler: 500 }
const short: Sizes = { agents: [33], table: 66, filler: 33 }

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
    const sizes = isShort ? short : server.isNative ? onServer : embedded
    const cuecard = await openCuecard(server)
    const database = await server.forPeers()
    const far = await withLatency(database.url)
    const ourFar = await withLatency(cuecard.database.url)
    const stores = await peers.stores(database)
    const distant = await peers.stores({ ...database, url: far.url })
    const wordStores = await peers.byWords(database)
    const services = await peers.services()
    const all = [...Object.values(stores), ...Object.values(wordStores)]
    const searchFar = cuecard.searchAt(ourFar.url)
    try {
      for (const loaded of await load(bench, cuecard, all, Object.values(services), sizes)) {
        bench.progress(`searching an agent of ${loaded.size} chunks`)
        const work = `${loaded.size.toLocaleString('en')} chunks of ${sizes.table.toLocaleString('en')}`
        yield* besidePeers(cuecard.search, cuecard, { ...stores, ...services }, loaded, work)
        if (loaded.size <= 1000) yield* besidePeers(searchFar, cuecard, distant, loaded, `${work}, 1 ms away`)
        yield* byWords(cuecard, wordStores, loaded, work)
      }
    } finally {
      for (const store of [...all, ...Object.values(distant), ...Object.values(services)]) await store.close()
      for (const relay of [far, ourFar]) relay.close()
      await database.close()
      await cuecard.close()
    }
  },
}

async function load(
  { server, progress }: Bench,
  cuecard: Cuecard,
  stores: Pick<Store, 'reset' | 'query' | 'insertFrom' | 'analyze'>[],
  services: Service[],
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
    for (const service of services) await service.add(agent.agentId, rowsOf(content, size))
    loaded.push({ size, agent, content })
    rows += size
  }
  progress('indexing large agents, as the sweeper does')
  for (const kind of ['terms', 'sketches'] as const) await indexLargeAgents(cuecard.owner, kind, () => true)
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
  await endIdleSessions(cuecard.database)
  for (const store of stores) await store.analyze()
  return loaded
}

function rowsOf({ seed, vectors }: Content, size: number) {
  return Array.from({ length: size }, (_, chunk) => ({
    chunk,
    text: section(seed, chunk),
    vector: [...vectors.of(chunk)],
  }))
}

async function* besidePeers(
  search: Cuecard['search'],
  cuecard: Cuecard,
  stores: Record<string, Pick<Store, 'search'>>,
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
        body = await search(event)
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
  const results = Object.entries(await interleaved(contestants, { rounds, seconds: 30, warmUps }))
  const samples = Object.fromEntries(results.map(([name, runs]) => [name, runs.map((run) => run.milliseconds)]))
  const recall = Object.fromEntries(
    results.map(([name, runs]) => [
      name,
      runs.slice(0, 20).map(({ texts }, round) => exact.recall(query(round), texts, limit)),
    ]),
  )
  yield { work: `${work}: p50`, unit: 'ms', better: 'less', samples }
  yield { work: `${work}: p95`, unit: 'ms', better: 'less', figure: 'p95', samples }
  yield { work: `${work}: CPU a search`, unit: 'ms', better: 'less', samples: await cpuOf(contestants) }
  yield { work: `${work}: recall@${limit}`, unit: '', better: 'more', figure: 'mean', samples: recall }
}

const cpuRounds = 20

/** What the whole machine computes for a search, as `/proc/stat` counts it: clients, servers and what stands between. */
async function cpuOf(
  contestants: Record<string, (round: number) => Promise<unknown>>,
): Promise<Record<string, number[]>> {
  const samples: Record<string, number[]> = {}
  if (!existsSync('/proc/stat')) return samples
  for (const [name, run] of Object.entries(contestants)) {
    const before = busyMilliseconds()
    for (let round = 0; round < cpuRounds; round++) await run(round)
    samples[name] = [(busyMilliseconds() - before) / cpuRounds]
  }
  return samples
}

function busyMilliseconds(): number {
  const [, user, nice, system] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 4).map(Number)
  return 10 * (user! + nice! + system!)
}

/** A question of eight words that stand in one of the chunks, frequent ones among them; the provider's call is left out. */
async function* byWords(
  cuecard: Cuecard,
  stores: Record<string, WordStore>,
  { size, agent, content }: Loaded,
  work: string,
): AsyncGenerator<Measurement> {
  const questionOf = (round: number) => (Math.max(0, round) * 7919) % size
  const asked = (mode: string) => async (round: number) => {
    const n = questionOf(round)
    const embedding = mode === 'keyword' ? {} : { embedding: [...(await content.vectors.query(n, size))] }
    const body = { query: question(content.seed, n), mode, limit, ...embedding }
    const event = cuecard.event('POST', `${agent.path}/search`, agent.key, body)
    return await millisecondsOf(() => cuecard.search(event))
  }
  const peers = Object.entries(stores).map(([name, store]): [string, ReturnType<typeof asked>] => [
    name,
    (round) => millisecondsOf(() => store.search(agent.agentId, question(content.seed, questionOf(round)), limit)),
  ])
  const options = { rounds, seconds: 20, warmUps }
  const words = await interleaved({ [ours]: asked('keyword'), ...Object.fromEntries(peers) }, options)
  yield { work: `${work}: by words, p50`, unit: 'ms', better: 'less', samples: words }
  const both = await interleaved({ [ours]: asked('hybrid') }, options)
  yield { work: `${work}: both arms, p50`, unit: 'ms', better: 'less', samples: both }
}
