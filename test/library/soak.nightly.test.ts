import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { changeModels } from '../../infra/embedding-models.ts'
import { Random } from '../simulation/random.ts'
import { workerWith } from '../support/provider/model-worker.ts'
import { twoModels } from '../support/provider/reversed-embedder.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { textOf } from './ferries.ts'
import type { Begin, Deleted, Report } from './soak-searcher.ts'

const stand = useStand()
const gateway = useGateway(stand)

const seconds = Number(process.env.SOAK_SECONDS ?? 120)
/** Searches a second. */
const rate = Number(process.env.SOAK_RATE ?? 1000)
const documents = 200
/** Milliseconds. */
const betweenChanges = 100
const modelChanges = 5
const random = new Random(56)

// The embedded database has one session: a change of the model keeps the snapshot from looking for changes.
test.runIf(process.env.DATABASE_URL)(
  '1,000 searches a second find no mixed and no deleted text while documents change and go and the agent changes its model, and memory stays',
  {
    timeout: (seconds + 240) * 1000,
  },
  async () => {
    const tenant = await stand.tenant()
    const { first, changing, returning } = twoModels()
    let worker = workerWith(first)
    const served: { number: number; id: string }[] = []
    let next = 0
    let round = 0
    let deleted = 0

    async function create(): Promise<void> {
      const number = next++
      const content = textOf(number, round)
      const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: `Ferry ${number}`, content })
      await worker.embed(tenant, body.id)
      served.push({ number, id: body.id })
    }

    async function edit(): Promise<void> {
      const { number, id } = random.pick(served)
      await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: textOf(number, round) })
      await worker.embed(tenant, id)
    }

    async function remove(): Promise<void> {
      const [gone] = served.splice(random.below(served.length), 1)
      const { status } = await tenant.call('DELETE', `${tenant.knowledgeBase}/${gone!.id}`)
      expect(status).toBe(204)
      searcher.send({ deleted: gone!.number } satisfies Deleted)
      deleted++
    }

    async function changeTo(to: string, from: string, by: typeof changing): Promise<void> {
      worker = workerWith(by)
      await changeModels(stand.db, to, from)
      const isChanging = async () =>
        (await stand.db.selectFrom('agents').select('next_model').executeTakeFirstOrThrow()).next_model !== null
      while (await isChanging()) {
        await worker.change(tenant)
        await edit()
      }
    }

    while (next < documents) await create()
    const searcher = fork(join(import.meta.dirname, 'soak-searcher.ts'), { execArgv: ['--expose-gc'] })
    onTestFinished(() => void searcher.disconnect())
    const reports: Report[] = []
    searcher.on('message', (report: Report) => {
      reports.push(report)
      if (process.env.SOAK_SECONDS) console.log(reports.length * 5, JSON.stringify(report))
    })
    const { apiKey: key, agentId } = tenant
    searcher.send({ url: gateway.origin, key, agentId, rate } satisfies Begin)

    const started = performance.now()
    const passed = () => (performance.now() - started) / 1000 / seconds
    let changes = 0
    let models = 0
    while (passed() < 1) {
      round++
      await sleep(betweenChanges)
      await edit()
      changes++
      if (round % 7 === 0) await remove()
      if (round % 7 === 3) await create()
      if (passed() < (models + 1) / (modelChanges + 1)) continue
      if (models++ % 2 === 0) await changeTo('second', 'first', changing)
      else await changeTo('first', 'second', returning)
    }

    const sum = (count: (report: Report) => number) => reports.reduce((total, report) => total + count(report), 0)
    console.log(
      JSON.stringify({
        searches: sum((report) => report.searches),
        seconds: Math.round((performance.now() - started) / 1000),
        changes,
        deleted,
        p50: Math.max(...reports.map(({ p50 }) => p50)),
        p99: Math.max(...reports.map(({ p99 }) => p99)),
        memory: reports.map(({ memory }) => memory).filter((_, i) => i % 12 === 0),
      }),
    )
    expect({
      mixed: reports.flatMap(({ mixed }) => mixed),
      outdated: reports.flatMap(({ outdated }) => outdated),
      errors: reports.flatMap(({ errors }) => errors),
    }).toEqual({ mixed: [], outdated: [], errors: [] })
    expect(sum(({ by }) => by.first)).toBeGreaterThan(0)
    expect(sum(({ by }) => by.second)).toBeGreaterThan(0)
    expect(sum((report) => report.searches) / (reports.length * 5)).toBeGreaterThan(0.9 * rate)
    // Until then its caches fill.
    const half = Math.floor(reports.length / 2)
    const [before, after] = [reports.slice(half / 2, half), reports.slice(half)]
    const most = (some: readonly Report[]) => Math.max(...some.map(({ memory }) => memory))
    expect(most(after)).toBeLessThan(1.2 * most(before))
  },
)
