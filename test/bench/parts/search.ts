import { existsSync, readFileSync } from 'node:fs'
import { question, topicOf } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'
import { type Agent, type Cuecard, openCuecard, textsOf } from '../stage/cuecard.ts'
import { exactOf } from '../stage/exact.ts'
import { withLatency } from '../stage/latency.ts'
import { type Content, loadOurs, loadPeers, rowsOf } from '../stage/load.ts'
import { isAsked, type Library, type Service, type Store, type WordStore } from '../stage/peers.ts'
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
    const libraries = await peers.libraries()
    const all = [...Object.values(stores), ...Object.values(wordStores)]
    const beside = [...Object.values(services), ...Object.values(libraries)]
    const searchFar = cuecard.searchAt(ourFar.url)
    try {
      for (const loaded of await load(bench, cuecard, all, beside, sizes)) {
        bench.progress(`searching an agent of ${loaded.size} chunks`)
        const work = `${loaded.size.toLocaleString('en')} chunks of ${sizes.table.toLocaleString('en')}`
        yield* besidePeers(cuecard.search, cuecard, { ...stores, ...services }, loaded, work)
        if (loaded.size <= 1000) yield* besidePeers(searchFar, cuecard, distant, loaded, `${work}, 1 ms away`)
        yield* byWords(cuecard, wordStores, libraries, loaded, work)
      }
    } finally {
      for (const store of [...all, ...Object.values(distant), ...beside]) await store.close()
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
  beside: (Service | Library)[],
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
    for (const peer of beside) if (isAsked(peer, size)) await peer.add(agent.agentId, rowsOf(content, size))
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
  await endIdleSessions(cuecard.database)
  for (const store of stores) await store.analyze()
  return loaded
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

/** The CPU time of the whole machine for a search, by `/proc/stat`: clients, servers and everything between. */
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

const remark = `Cuecard's figures include what peers leave to their user: API keys, permissions, limits, tenants that the database keeps apart, documents
that are valid for a time, words that a recogniser spells as they sound. LanceDB and Orama answer in the process of their caller, without a server;
new rows slow LanceDB until its user brings the index up to date, and Orama keeps everything in memory.`

/** A question of eight words from one of the chunks, some of them frequent, without a call to the provider. */
async function* byWords(
  cuecard: Cuecard,
  stores: Record<string, WordStore>,
  libraries: Record<string, Library>,
  { size, agent, content }: Loaded,
  work: string,
): AsyncGenerator<Measurement> {
  type Search = (question: string, vector: number[]) => Promise<string[]>
  const { agentId } = agent
  const cuecardIn =
    (mode: string): Search =>
    async (query, embedding) => {
      const body = { query, mode, limit, ...(mode === 'hybrid' && { embedding }) }
      return textsOf(await cuecard.search(cuecard.event('POST', `${agent.path}/search`, agent.key, body)))
    }
  const asked = Object.entries(libraries).filter(([, library]) => isAsked(library, size))
  const searches: Record<string, Record<string, Search>> = {
    'by words': { [ours]: cuecardIn('keyword') },
    'both arms': { [ours]: cuecardIn('hybrid') },
  }
  for (const [name, { search }] of Object.entries(stores))
    searches['by words']![name] = (question) => search(agentId, question, limit)
  for (const [name, library] of asked) {
    searches['by words']![name] = (question) => library.byWords(agentId, question, limit)
    searches['both arms']![name] = (question, vector) => library.hybrid(agentId, question, limit, vector)
  }
  for (const [arms, each] of Object.entries(searches)) {
    const contestants: Record<string, (round: number) => Promise<{ milliseconds: number; found: number }>> = {}
    for (const [name, search] of Object.entries(each))
      contestants[name] = async (round) => {
        const n = (Math.max(0, round) * 7919) % size
        const vector = [...(await content.vectors.query(n, size))]
        let texts: string[] = []
        const milliseconds = await millisecondsOf(async () => {
          texts = await search(question(content.seed, n), vector)
        })
        return { milliseconds, found: Number(texts.some((text) => topicOf(text) === n)) }
      }
    const results = Object.entries(await interleaved(contestants, { rounds, seconds: 20, warmUps }))
    const samples = (figure: 'milliseconds' | 'found') =>
      Object.fromEntries(results.map(([name, runs]) => [name, runs.map((run) => run[figure])]))
    yield { work: `${work}: ${arms}, p50`, unit: 'ms', better: 'less', samples: samples('milliseconds'), remark }
    const found = `${work}: ${arms}, the chunk with the words is among ${limit}`
    yield { work: found, unit: '', better: 'more', figure: 'mean', samples: samples('found') }
  }
}
