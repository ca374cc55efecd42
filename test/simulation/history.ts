import { sql } from 'kysely'
import type { OrganizationId } from '../../shared/ids.ts'
import { poison } from '../support/provider/provider-responses.ts'
import { Observer } from './invariants.ts'
import type { Fate, Point } from './process.ts'
import { Random } from './random.ts'
import { Requests } from './requests.ts'
import { oddWays } from './simulated-provider.ts'
import { type Universe, World } from './world.ts'

/** The number of faults of each kind, by history. */
export type Tally = Map<string, number>

const steps = 60

/** The possible ends of a document that was a file. */
const ofFiles = new Set(['file_not_uploaded', 'file_unreadable'])

/** The rates of faults in a history of common trouble. */
const trouble: Record<Point['kind'], Record<Exclude<Fate, 'ok'>, number>> = {
  sql: { lost_before: 0.015, lost_after: 0.02, die_before: 0.015, die_after: 0.02 },
  send: { lost_before: 0.1, lost_after: 0.05, die_before: 0.05, die_after: 0.05 },
  provider: { lost_before: 0.03, lost_after: 0.03, die_before: 0.03, die_after: 0.03 },
  bucket: { lost_before: 0.06, lost_after: 0.02, die_before: 0.03, die_after: 0.03 },
  extraction: { lost_before: 0.08, lost_after: 0.03, die_before: 0.08, die_after: 0.03 },
}

/**
 * Plays one random history: requests, deliveries, crashes, faults of provider, queue and database, sweeps, the passing of
 * time, in an order that the seed decides, and after every step compares the database with the model. Then lets all faults
 * end, and expects every document to end as it should.
 * @throws Error with the last steps
 */
export async function playHistory(universe: Universe, seed: number, tally: Tally): Promise<void> {
  const history = new History(universe, seed)
  try {
    await history.play()
  } catch (error) {
    const last = history.log.slice(-40).join('\n  ')
    throw new Error(`${(error as Error).message}\n  ${last}`, { cause: error })
  } finally {
    await history.world.close()
    for (const fault of history.faults) tally.set(fault, (tally.get(fault) ?? 0) + 1)
  }
}

class History {
  readonly world: World
  readonly log: string[] = []
  readonly faults = new Set<string>()
  readonly #random: Random
  readonly #requests: Requests
  readonly #observer: Observer
  readonly #intensity: number
  #isCalm: boolean

  constructor(universe: Universe, seed: number) {
    this.#random = new Random(seed)
    this.world = new World(universe, this.#random)
    this.#requests = new Requests(this.world, (kind) => this.#fateOf(kind, 'request'), this.log)
    this.#observer = new Observer(this.world)
    this.#intensity = this.#random.pick([0.3, 1, 1, 3])
    this.#isCalm = this.#random.chance(0.08)
    if (this.#isCalm) this.faults.add('none (healthy)')
  }

  async play(): Promise<void> {
    await this.world.open()
    await this.#requests.create(this.world.tenants[0]!)
    for (let i = 0; i < steps; i++) {
      await this.#step()
      await this.#observer.check()
    }
    this.#isCalm = true
    await this.#comeToRest()
    await this.#tryAgainWhatFailed()
  }

  async #step(): Promise<void> {
    const points = this.#points
    const [pass, meddle] = [points.length > 0 ? 120 : 0, this.#isCalm ? 0 : 4]
    const step = this.#random.weighed({ pass, deliver: 22, request: 20, advance: 8, sweep: 6, meddle })
    if (step === 'pass') await this.#pass(this.#random.pick(points))
    else if (step === 'deliver') await this.#deliver()
    else if (step === 'request') await this.#requests.makeOne()
    else if (step === 'advance') await this.#advance()
    else if (step === 'sweep') await this.#sweep()
    else this.#meddle()
  }

  async #pass(point: Point): Promise<void> {
    const { process } = point
    const isProvider = point.kind === 'provider'
    const fate = this.#fateOf(point.kind, process.name)
    const isOdd = isProvider && !this.#isCalm && this.#random.chance(0.3 * this.#intensity)
    const answer = isOdd ? this.#random.weighed(oddWays as Record<string, number>) : 'ok'
    if (answer !== 'ok') this.faults.add(`provider: ${answer}`)
    this.log.push(`${process.name} ${point.kind} ${fate} ${isProvider ? answer : ''}`)
    await point.pass(fate, answer)
    await process.settled()
    this.#collect()
  }

  #fateOf(kind: Point['kind'], who: string): Fate {
    if (this.#isCalm) return 'ok'
    const chances = trouble[kind]
    let rest = this.#random.next() / this.#intensity
    for (const fate of Object.keys(chances) as (keyof typeof chances)[]) {
      rest -= chances[fate]
      if (rest < 0) {
        this.faults.add(`${who}: ${kind} ${fate}`)
        return fate
      }
    }
    return 'ok'
  }

  #collect(): void {
    this.world.acknowledge(() => {
      const isLost = !this.#isCalm && this.#random.chance(0.05)
      if (isLost) this.faults.add('queue: acknowledgement lost')
      return isLost
    })
  }

  async #deliver(): Promise<void> {
    const idle = this.world.workers.filter((worker) => !worker.process && worker.queue.visible.length > 0)
    if (idle.length === 0) return
    const worker = this.#random.pick(idle)
    const { queue } = worker
    const { visible } = queue
    const count = 1 + this.#random.below(3)
    const messages = []
    for (let i = 0; i < count && visible.length > 0; i++) {
      const [message] = visible.splice(this.#random.below(visible.length), 1)
      const received = queue.receive(message!)
      if (received) messages.push(received)
    }
    const isHurried = !this.#isCalm && this.#random.chance(0.15)
    if (isHurried) this.faults.add('worker: out of time')
    this.log.push(`deliver ${messages.map(({ work }) => work.id.slice(-4))}${isHurried ? ' in a hurry' : ''}`)
    await this.world.deliver(worker, messages, isHurried ? 1 + this.#random.below(5) : 1e9)
    this.#collect()
  }

  async #advance(seconds = this.#random.pick([1, 5, 5, 20, 60, 125, 160, 160, 750])): Promise<void> {
    const jump = !this.#isCalm && this.#random.chance(0.01) ? 90_000 : seconds
    if (jump > 150 && this.world.running.length > 0) this.faults.add('worker: lease expires under it (zombie)')
    if (jump === 90_000) this.faults.add('a day passes')
    this.log.push(`${jump} seconds pass`)
    await this.world.advance(jump)
  }

  async #sweep(): Promise<void> {
    if (this.world.sweepers.some((sweeper) => sweeper.isRunning)) this.faults.add('two sweepers at once')
    this.log.push('sweep')
    await this.world.sweep()
  }

  #anotherTenant() {
    return { organizationId: this.#random.pick(this.world.tenants).organizationId as OrganizationId }
  }

  #meddle(): void {
    const queue = this.#random.pick(this.world.queues)
    const what = this.#random.pick(['duplicate', 'drop', 'forge', 'redrive', 'purge'] as const)
    const { messages, deadLetters } = queue
    if ((what === 'redrive' || what === 'purge' ? deadLetters : messages).length === 0) return
    if (what === 'redrive') queue.redrive()
    else if (what === 'purge') queue.deadLetters = []
    else if (what === 'drop') queue.remove(this.#random.pick(messages))
    else if (what === 'forge') queue.put({ ...this.#random.pick(messages).work, ...this.#anotherTenant() })
    else {
      const { work } = this.#random.pick(messages)
      queue.put(work, this.#random.pick([0, 0, 30, 300]))
    }
    this.faults.add(`queue: ${what}`)
    this.log.push(what)
  }

  /** Ends all faults: pending work completes, and the sweeper runs. */
  async #comeToRest(): Promise<void> {
    const { world } = this
    let unfinished: object[] = []
    for (let round = 0; round < 150; round++) {
      for (let points = this.#points; points.length > 0; points = this.#points) {
        await this.#pass(points[0]!)
        await this.#observer.check()
      }
      await this.#observer.check()
      if (world.queues.some((queue) => queue.visible.length > 0)) {
        await this.#deliver()
        continue
      }
      unfinished = await world.db
        .selectFrom('documents')
        .selectAll()
        .where('managed_by', '=', 'service')
        .where('status', 'in', ['pending', 'processing'])
        .execute()
      if (unfinished.length === 0) return
      await this.#advance(750)
      await this.#sweep()
    }
    throw new Error(`documents that never end: ${JSON.stringify(unfinished)}`)
  }

  get #points(): Point[] {
    return this.world.running.flatMap((process) => process.points)
  }

  /** Good documents that ended in error by crashes or a day's wait complete when asked again; poisoned ones fail again. */
  async #tryAgainWhatFailed(): Promise<void> {
    const { rows } = await sql<{ id: string; organization_id: string; agent_id: string; error_code: string }>`
      select id, organization_id, agent_id, error_code from documents where status = 'error'`.execute(this.world.db)
    for (const row of rows) await this.#requests.retry(row.organization_id, row.id)
    await this.#observer.check()
    await this.#comeToRest()
    const after = await sql<{ text: string | null; error_code: string }>`
      select coalesce(content, extracted_text) as text, error_code from documents where managed_by = 'service' and status <> 'completed'`.execute(
      this.world.db,
    )
    for (const row of after.rows)
      if (!(row.error_code === 'chunk_refused' ? row.text!.includes(poison) : ofFiles.has(row.error_code)))
        throw new Error(`never completes: ${JSON.stringify(row)}`)
    await this.#refuteGhosts()
    await this.#clearBucket()
  }

  /** Checks that the bucket has only the documents' files, once no form can post a file any more. */
  async #clearBucket(): Promise<void> {
    const { world } = this
    for (let i = 0; i < 2; i++) {
      await this.#advance(2 * 60 * 60)
      await this.#sweep()
      await this.#comeToRest()
    }
    const named = world.tenants.flatMap(({ documents }) =>
      documents.flatMap(({ file }) => (file?.isPosted ? [file.key] : [])),
    )
    const left = new Set(world.bucket.files.keys()).symmetricDifference(new Set(named))
    if (left.size > 0) throw new Error(`files lost or left behind: ${[...left]}`)
  }

  /** Checks that old messages, redelivered after the end, change nothing and cause no call. */
  async #refuteGhosts(): Promise<void> {
    const { world } = this
    const calls = world.calls.length
    for (const { documents, organizationId } of world.tenants)
      for (const { id } of documents)
        for (const queue of world.queues) queue.put({ organizationId, kind: 'document', id } as never)
    await this.#comeToRest()
    if (world.calls.length !== calls) throw new Error('a redelivery after the end called the provider')
  }
}
