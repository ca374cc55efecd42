import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type Agent, openAgent } from '../../infra/library/open-agent.ts'
import { twoModels } from '../support/provider/reversed-embedder.ts'
import { roundsIn } from './ferries.ts'

/** What the process is told to begin. */
export interface Begin {
  url: string
  key: string
  agentId: string
  /** Searches a second. */
  rate: number
}

/** A document that no answer may have two seconds later: the number that its text names. */
export interface Deleted {
  deleted: number
}

/** What was found since the last report. */
export interface Report {
  searches: number
  /** Documents with passages of several revisions in one answer. */
  mixed: string[]
  /** Documents that were found two seconds after they were deleted. */
  outdated: number[]
  errors: string[]
  /** Answers by the vectors of each model, and by words alone. */
  by: Record<'first' | 'second' | 'words', number>
  /** Megabytes after a collection. */
  memory: number
  /** Milliseconds, of one search in ten. */
  p50: number
  p99: number
}

const reportMilliseconds = 5000
const graceMilliseconds = 2000
const topics = 400

/** Searches at a steady rate with two agents of one process, one for each model, and sends a report every five seconds. */
async function run({ url, key, agentId, rate }: Begin): Promise<never> {
  const { first, second } = twoModels()
  const open = ({ model, embed }: typeof first) =>
    openAgent({ url, key, agentId, vectors: { model, embed: (texts) => embed(texts) } })
  const agents = { first: await open(first), second: await open(second) }
  let report = emptyReport()
  let times: number[] = []
  let reportedAt = performance.now()
  const started = performance.now()
  for (let asked = 0; ; ) {
    const due = Math.floor(((performance.now() - started) / 1000) * rate)
    for (const end = Math.min(due, asked + 20); asked < end; asked++) {
      const model = asked % 2 === 0 ? 'first' : 'second'
      await search(agents[model], model, asked)
    }
    if (performance.now() - reportedAt > reportMilliseconds) {
      times.sort((one, other) => one - other)
      const quantile = (share: number) => times[Math.floor(share * times.length)] ?? 0
      process.send!({ ...report, memory: usedMegabytes(), p50: quantile(0.5), p99: quantile(0.99) } satisfies Report)
      report = emptyReport()
      times = []
      reportedAt = performance.now()
    }
    await (asked < due ? setImmediate() : sleep(1))
  }

  async function search(agent: Agent, model: 'first' | 'second', asked: number): Promise<void> {
    const before = Date.now()
    const start = performance.now()
    try {
      const { data, degraded } = await agent.search({
        query: `When does the ferry ${asked % topics} leave?`,
        limit: 20,
      })
      if (asked % 10 === 0) times.push(performance.now() - start)
      report.searches++
      report.by[degraded ? 'words' : model]++
      const found = roundsIn(data.map(({ content }) => content))
      for (const [document, rounds] of found) {
        if (rounds.size > 1) report.mixed.push(`${document}: ${[...rounds]}`)
        if (before > (deletedAt.get(document) ?? Infinity) + graceMilliseconds) report.outdated.push(document)
      }
    } catch (error) {
      report.errors.push(String(error))
    }
  }
}

const deletedAt = new Map<number, number>()

function emptyReport() {
  return {
    searches: 0,
    mixed: [] as string[],
    outdated: [] as number[],
    errors: [] as string[],
    by: { first: 0, second: 0, words: 0 },
  }
}

function usedMegabytes(): number {
  globalThis.gc!()
  const { heapUsed, external } = process.memoryUsage()
  return Math.round((heapUsed + external) / 1e5) / 10
}

process.on('message', (message: Begin | Deleted) => {
  if ('deleted' in message) deletedAt.set(message.deleted, Date.now())
  else void run(message)
})
process.on('disconnect', () => process.exit())
