import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Agent, openAgent } from '../../../infra/library/open-agent.ts'
import { encoderEmbedder } from '../../../shared/embedding/encoder-embedder.ts'
import { toBase64 } from '../../../shared/embedding/vectors.ts'
import { question, section } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'
import { type Cuecard, openCuecard } from '../stage/cuecard.ts'
import { flatScan } from '../stage/flat-scan.ts'
import { loadOurs, rowsOf } from '../stage/load.ts'
import { isAsked, type Library } from '../stage/peers.ts'
import { analyze } from '../stage/tables.ts'

type Peers = [name: string, peer: ReturnType<typeof flatScan> & Partial<Library>][]
type Loaded = Awaited<ReturnType<typeof load>>

const limit = 5
const command = join(import.meta.dirname, '../../../infra/library/replica/main.ts')
/** Searches one after the other, as a process has them that does not search with all of its peers in turn. */
const inARow = 10
/** Enough for Node.js to compile what a search runs: an agent's process lives for days. */
const warmUps = 30
const sectionsOfChange = 10
const arms = [
  ['by words', 'keyword', 'byWords'],
  ['by meaning', 'semantic', 'byMeaning'],
  ['both arms', 'hybrid', 'hybrid'],
] as const
const remark = `In the caller's process, LanceDB and Orama are missing where they take too long to load: from 60,000 and 20,000 chunks on. A flat
scan compares all vectors and finds no words. LanceDB keeps its rows in files: its memory is not compared.`

export const inside: Part = {
  name: 'inside',
  title: 'Search in the process of its caller',
  async *run(bench) {
    const cuecard = await openCuecard(bench.server)
    const gateway = await cuecard.serve()
    const place = { url: gateway.origin, folder: await mkdtemp(join(tmpdir(), 'cuecard-')) }
    const peers: Peers = Object.entries({ ...(await bench.peers.libraries()), 'a flat scan': flatScan() })
    try {
      for (const size of isShort ? [33] : [33, 1000, ...(bench.server.isNative ? [20_000, 60_000] : [])]) {
        bench.progress(`loading an agent of ${size} chunks`)
        const loaded = await load(cuecard, size, place)
        yield* measure(
          bench,
          cuecard,
          loaded,
          peers.filter(([, peer]) => isAsked(peer, size)),
        )
      }
    } finally {
      for (const [, peer] of peers) await peer.close()
      await gateway.close()
      await cuecard.close()
      await rm(place.folder, { recursive: true })
    }
    yield* withEncoder(bench)
  },
}

/** @param place the service's address, and the folder for the library's copy */
async function load(cuecard: Cuecard, size: number, place: { url: string; folder?: string }) {
  // An organization may load only so many bytes of snapshots a minute.
  const agent = await cuecard.agent(await cuecard.organization())
  const content = { seed: size, vectors: await vectorsOf('clustered', size, size) }
  await loadOurs(cuecard, agent, content, { from: 0, to: size })
  await analyze(cuecard.database)
  return { ...agent, ...place, size, content, work: `${size.toLocaleString('en')} chunks` }
}

async function* measure(
  { progress }: Bench,
  cuecard: Cuecard,
  loaded: Loaded,
  peers: Peers,
): AsyncGenerator<Measurement> {
  const { size, work, folder, agentId } = loaded
  const parts = join(folder!, agentId)
  progress('opening it')
  const opened = await repeated(async () => {
    await rm(parts, { recursive: true, force: true })
    return await opening(loaded)
  })
  const { agent } = opened.at(-1)!
  for (const each of opened.slice(0, -1)) await each.agent.close()
  const started = await repeated(async () => {
    const { agent: again, ...figures } = await opening(loaded)
    await again.close()
    return figures
  })
  const memory: Record<string, number[]> = { [ours]: started.map(({ bytes }) => bytes / size / 1000) }
  for (const [name, peer] of peers) {
    progress(`loading ${name}`)
    const before = await usedBytes()
    await peer.add(agentId, rowsOf(loaded.content, size))
    if (name !== 'LanceDB') memory[name] = [((await usedBytes()) - before) / size / 1000]
  }
  const less = { better: 'less', remark } as const
  for (const [name, mode, method] of arms) {
    progress(`searching ${name}`)
    const contestants: Record<string, (round: number) => Promise<number[]>> = {
      [ours]: asking(loaded, async (query, embedding) => {
        const asked = { keyword: { query }, semantic: { embedding }, hybrid: { query, embedding } }[mode]
        const { from } = await agent.search({ ...asked, mode, limit })
        if (from !== 'process') throw new Error('the service has answered')
      }),
    }
    for (const [peer, { [method]: search }] of peers)
      if (search) contestants[peer] = asking(loaded, (text, vector) => search(agentId, text, limit, vector))
    const samples = await inTurn(contestants, 12)
    yield { work: `${work}: ${name}, p50`, unit: 'ms', ...less, samples }
    yield { work: `${work}: ${name}, p99`, unit: 'ms', figure: 'p99', ...less, samples }
  }
  if (size >= 1000 || isShort) yield { work: `${work}: memory a chunk`, unit: 'kB', ...less, samples: memory }
  const files = (await readdir(parts)).filter((file) => file !== 'manifest.json')
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(parts, file))).size))
  progress('changing a document')
  const changes = await changesOf(cuecard, agent, loaded)
  await agent.close()
  const figures: [string, string, number[]][] = [
    [`snapshot, compressed, in parts of at most 4 MB`, 'MB', [sizes.reduce((sum, bytes) => sum + bytes, 0) / 1e6]],
    ['first load from the service', 'ms', opened.map(({ milliseconds }) => milliseconds)],
    ['start from its folder', 'ms', started.map(({ milliseconds }) => milliseconds)],
    [`${sectionsOfChange} changed chunks, completed until found`, 'ms', changes.map((each) => each.milliseconds)],
    [`${sectionsOfChange} changed chunks, compressed`, 'kB', changes.map(({ bytes }) => bytes / 1000)],
  ]
  for (const [name, unit, each] of figures)
    yield { work: `${work}: ${name}`, unit, better: 'less', samples: { [ours]: each } }
}

/** An agent, the time until it answers, and the memory that it takes. */
async function opening(loaded: Loaded) {
  const { url, key, agentId, folder } = loaded
  const before = await usedBytes()
  const start = performance.now()
  // Loading a peer may keep this process from hearing of the service for minutes.
  const agent = await openAgent({ url, key, agentId, folder, maxAgeSeconds: 3600 })
  while (agent.status().ageSeconds === null) await setImmediate()
  const milliseconds = performance.now() - start
  return { agent, milliseconds, bytes: (await usedBytes()) - before }
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function usedBytes(): Promise<number> {
  // A collection frees buffers only after it has ended.
  for (let i = 0; i < 3; i++) {
    collectGarbage()
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Five results, or as many as five seconds leave time for. */
async function repeated<Result>(act: () => Promise<Result>): Promise<Result[]> {
  const start = performance.now()
  const results = [await act()]
  while (!isShort && results.length < 5 && performance.now() - start < 5000) results.push(await act())
  return results
}

/** The times of all searches of each contestant. */
async function inTurn(contestants: Record<string, (round: number) => Promise<number[]>>, seconds: number) {
  const rows = await interleaved(contestants, { rounds: 30, seconds, warmUps })
  return Object.fromEntries(Object.entries(rows).map(([name, each]) => [name, each.flat()]))
}

/** The times of searches in a row, each with another question and vector. */
function asking({ size, content }: Loaded, search: (question: string, vector: number[]) => Promise<unknown>) {
  return async (round: number) => {
    const times: number[] = []
    for (let i = 0; i < inARow; i++) {
      const n = (((round + warmUps) * inARow + i) * 7919) % size
      const vector = [...(await content.vectors.query(n, size))]
      const text = question(content.seed, n)
      times.push(await millisecondsOf(() => search(text, vector)))
    }
    return times
  }
}

/** How soon the agent finds each of several changes of a document once it is completed, and the bytes of its update. */
async function changesOf(cuecard: Cuecard, agent: Agent, { size, content, path, key, url }: Loaded) {
  const sections = Array.from({ length: sectionsOfChange }, (_, i) => section(content.seed, size + i)).join('\n\n')
  const event = (method: string, at: string, word: string) =>
    cuecard.event(method, at, key, { title: 'Bench', content: `${sections} ${word}.` })
  const found = async (word: string) => {
    await cuecard.work()
    const find = async () => (await agent.search({ query: word, mode: 'keyword' })).data[0]?.content.includes(word)
    return await millisecondsOf(async () => {
      while (!(await find())) await sleep(1)
    })
  }
  const { id } = JSON.parse(await cuecard.createDocument(event('POST', path, 'created')))
  await found('created')
  let changes = 0
  return await repeated(async () => {
    const word = `changed${changes++}`
    const { version } = agent.status()
    await cuecard.documents(event('PATCH', `${path}/${id}`, word), 200)
    const milliseconds = await found(word)
    const update = await fetch(`${url}${path}/snapshot?since=${version}`, { headers: { 'x-api-key': key } })
    return { milliseconds, bytes: (await update.arrayBuffer()).byteLength }
  })
}

/** From a question's words to the answer, with vectors of the built-in encoder. */
async function* withEncoder({ server, progress }: Bench): AsyncGenerator<Measurement> {
  const cuecard = await openCuecard(server, encoderEmbedder())
  const gateway = await cuecard.serve()
  try {
    progress('loading an agent with vectors of the built-in encoder')
    const loaded = await load(cuecard, isShort ? 33 : 1000, { url: gateway.origin })
    const { url, key, agentId, work } = loaded
    const agent = await openAgent({ url, key, agentId, vectors: 'encoder' })
    const search = asking(loaded, async (query) => {
      const { from, degraded } = await agent.search({ query, limit })
      if (from !== 'process' || degraded) throw new Error('the vector was not made in time')
    })
    const samples = await inTurn({ [ours]: search }, 20)
    yield { work: `${work}: with the built-in encoder, p50`, unit: 'ms', better: 'less', samples }
    await agent.close()
    yield* overLoopback(loaded)
  } finally {
    await gateway.close()
    await cuecard.close()
  }
}

/** The same over HTTP from a process beside the caller's, with the question's vector given. */
async function* overLoopback(loaded: Loaded): AsyncGenerator<Measurement> {
  const { url, key, agentId, work, path } = loaded
  const replica = spawn(process.execPath, [command, 'replica', '--agent', agentId, '--port', '0'], {
    env: { ...process.env, BASE_URL: url, API_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const address = await addressOf(replica)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const search = asking(loaded, async (query, embedding) => {
      const body = JSON.stringify({ query, embedding: toBase64(Float32Array.from(embedding)), limit })
      const answer = await fetch(`${address}${path}/search`, { method: 'POST', headers, body })
      if (((await answer.json()) as { data: unknown[] }).data.length === 0) throw new Error('nothing was found')
    })
    const samples = await inTurn({ [ours]: search }, 20)
    yield { work: `${work}: from a replica on loopback, p50`, unit: 'ms', better: 'less', samples }
  } finally {
    replica.kill()
  }
}

/** The address that a replica prints once it serves. */
async function addressOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let printed = ''
  for await (const text of stdout.iterator({ destroyOnReturn: false })) {
    printed += text
    const [, address] = /^Serving (.+)$/m.exec(printed) ?? []
    if (address) return address
  }
  throw new Error(`The replica has ended: ${printed}`)
}
