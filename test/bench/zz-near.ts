import { type Kind, vectorsOf } from './data/vectors.ts'
import { openCuecard, textsOf } from './stage/cuecard.ts'
import { exactOf } from './stage/exact.ts'
import { loadOurs } from './stage/load.ts'
import { openServer } from './stage/server.ts'
import { analyze } from './stage/tables.ts'

const size = Number(process.argv[2] ?? 20000)
const server = await openServer(process.env.DATABASE_URL)
const cuecard = await openCuecard(server)
for (const kind of (process.argv[3]?.split(',') ?? ['clustered']) as Kind[]) {
  const agent = await cuecard.agent(await cuecard.organization())
  const vectors = await vectorsOf(kind, 5, size)
  let t = performance.now()
  await loadOurs(cuecard, agent, { seed: 5, vectors }, { from: 0, to: size })
  await analyze(cuecard.database)
  console.log(kind, 'loaded', Math.round(performance.now() - t))
  t = performance.now()
  const steps: string[] = []
  for (let go = true; go; ) {
    const s = performance.now()
    const [row] = await cuecard.database.query('select cluster_chunks($1, $2, 1000) as more', [agent.id, agent.agentId])
    go = row!.more === 't' || row!.more === 'true'
    steps.push(String(Math.round(performance.now() - s)))
  }
  console.log(
    'clustered in',
    Math.round(performance.now() - t),
    'ms',
    steps.slice(0, 8).join(' '),
    '…',
    steps.slice(-2).join(' '),
  )
  console.log(
    await cuecard.database.query('select chunks, rounds, share from clustered_agents where agent_id = $1', [
      agent.agentId,
    ]),
  )
  await analyze(cuecard.database)
  const [{ share }] = (await cuecard.database.query('select share from clustered_agents where agent_id = $1', [
    agent.agentId,
  ])) as [{ share: string | null }]
  const exact = exactOf(vectors, size)
  const set = (value: string | null) =>
    cuecard.database.query('update clustered_agents set share = $2 where agent_id = $1', [agent.agentId, value])
  const ms: Record<string, number[]> = { all: [], clusters: [] },
    recall: Record<string, number[]> = { all: [], clusters: [] }
  for (let round = 0; round < 4; round++)
    for (const [name, value] of [
      ['all', null],
      ['clusters', share ?? '0.1'],
    ] as const) {
      await set(value)
      for (let n = -5; n < 20; n++) {
        const query = await vectors.query(Math.max(0, n), size)
        const event = cuecard.event('POST', `${agent.path}/search`, agent.key, { embedding: [...query], limit: 10 })
        const s = performance.now()
        const body = await cuecard.search(event)
        if (n < 0) continue
        ms[name]!.push(performance.now() - s)
        if (round === 0) recall[name]!.push(exact.recall(query, textsOf(body), 10))
      }
    }
  const p50 = (x: number[]) => x.toSorted((a, b) => a - b)[x.length >> 1]!.toFixed(1)
  const mean = (x: number[]) => (x.reduce((a, b) => a + b, 0) / x.length).toFixed(3)
  console.log(
    kind,
    size,
    'share',
    share,
    'p50 all',
    p50(ms.all!),
    'clusters',
    p50(ms.clusters!),
    'recall',
    mean(recall.all!),
    mean(recall.clusters!),
  )
  await set(share)
}
await cuecard.close()
process.exit(0)
