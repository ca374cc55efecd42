import { sql } from 'kysely'
import type { Pool } from 'pg'
import { chunksApp } from '../../functions/chunks/app.ts'
import { documentsApp } from '../../functions/documents/app.ts'
import { consumer } from '../../functions/embedding/consumer.ts'
import { consumer as extractionConsumer } from '../../functions/extraction/consumer.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { createAgent } from '../../infra/admin/agents.ts'
import { createKey } from '../../infra/admin/keys.ts'
import { createOrganization } from '../../infra/admin/organizations.ts'
import { semaphore } from '../../shared/concurrency/semaphore.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { openAiEmbedder } from '../../shared/embedding/openai-embedder.ts'
import type { Permission } from '../../shared/organizations/permissions.ts'
import { bodyOf } from '../../shared/work/message.ts'
import { routedQueue } from '../../shared/work/sqs-queue.ts'
import { unlimit } from '../support/stand/tenant.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import type { ModelDocument } from './model.ts'
import { simulatedDatabase } from './neon-in-process.ts'
import { type Fate, Process, reach } from './process.ts'
import type { Random } from './random.ts'
import { SimulatedBucket, simulatedExtraction } from './simulated-bucket.ts'
import { providerKey, simulatedProvider } from './simulated-provider.ts'
import { type SimulatedMessage, SimulatedQueue } from './simulated-queue.ts'

export interface Tenant {
  organizationId: string
  agentId: string
  key: string
  documents: ModelDocument[]
}

/** One Lambda instance. Its circuit breaker and semaphore end with its process. */
export interface Worker {
  name: 'embedding' | 'extraction'
  handler: ReturnType<typeof consumer>
  queue: SimulatedQueue
  process: Process | undefined
  messages: SimulatedMessage[]
}

interface RequestApp {
  request(path: string, init: RequestInit): Response | Promise<Response>
}
type Sent = [method: string, path: string, body?: object]

export const chunkSize = { targetTokens: 8, overlapTokens: 0 }
const workerCounts = { embedding: 3, extraction: 2 }

/** A database for many worlds, one after the other. */
export function openUniverse(pool: Pool) {
  let statements = 0
  const { db, as, close } = simulatedDatabase(pool, (run) => {
    const counted = () => {
      statements++
      return run()
    }
    return reach('sql', counted, () => new TypeError('fetch failed'))
  })
  return { db, as, close, statements: () => statements }
}
export type Universe = ReturnType<typeof openUniverse>

/** Everything one history happens in: two tenants, the API, workers, the sweeper, and the world outside under control. */
export class World {
  readonly db: Database
  readonly random: Random
  readonly queue = new SimulatedQueue()
  readonly extractionQueue = new SimulatedQueue()
  readonly bucket = new SimulatedBucket()
  readonly calls: string[][] = []
  readonly workers: Worker[] = []
  readonly sweepers: Process[] = []
  readonly requests: Process[] = []
  readonly documents: ReturnType<typeof documentsApp>
  readonly chunks: ReturnType<typeof chunksApp>
  readonly callInputs: number
  tenants: Tenant[] = []

  /** Routes each message to the queue of its Lambda. */
  readonly routed = routedQueue({ embedding: this.queue, extraction: this.extractionQueue })
  readonly #statements: () => number
  readonly #as: (role: string) => Database
  readonly #embedder: () => Embedder

  /** @param embedder in place of the simulated provider's */
  constructor(universe: Universe, random: Random, embedder?: () => Embedder) {
    this.#embedder = embedder ?? (() => this.#simulatedEmbedder())
    const { db } = universe
    this.db = db
    this.#statements = universe.statements
    // The owner bypasses row-level security, so the statements alone must keep tenants apart.
    this.#as = random.chance(0.5) ? universe.as : () => db
    this.random = random
    this.callInputs = 1 + random.below(3)
    const now = () => 0
    this.documents = documentsApp({
      presigner: unusedPresigner,
      db: this.#as('cuecard_documents'),
      queue: this.routed,
      now,
    })
    this.chunks = chunksApp({ db: this.#as('cuecard_chunks'), now })
    for (const [name, count] of Object.entries(workerCounts) as [Worker['name'], number][])
      for (let i = 0; i < count; i++) this.workers.push(this.newWorker(name))
  }

  async open(): Promise<void> {
    for (let i = 0; i < 2; i++) {
      const organization = await createOrganization(this.db, `Tenant ${i}`)
      await unlimit(this.db, organization.id)
      const agent = await createAgent(this.db, organization.id, 'Agent')
      const organizationId = organization.id
      const permissions: Permission[] = ['kb:read', 'kb:write']
      const { key } = await createKey(this.db, { organizationId, name: 'simulation', permissions })
      this.tenants.push({ organizationId, agentId: agent.id, key, documents: [] })
      // Afterwards each app trusts the key, and a request is one statement.
      const [path, headers] = [`/v1/agents/${agent.id}/knowledge-base`, { 'x-api-key': key }]
      await this.documents.request(path, { headers })
      await this.chunks.request(`${path}/${agent.id}/chunks`, { headers })
    }
  }

  async close(): Promise<void> {
    await sql`truncate organizations, obsolete_files cascade`.execute(this.db)
  }

  newWorker(name: Worker['name']): Worker {
    const made = name === 'embedding' ? this.#newEmbedding() : this.#newExtraction()
    return { ...made, process: undefined, messages: [] }
  }

  #newExtraction() {
    const handler = extractionConsumer({
      db: this.#as('cuecard_extraction'),
      bucket: this.bucket,
      queue: this.extractionQueue,
      embeddingQueue: this.queue,
      extractText: simulatedExtraction,
      random: this.random.next,
    })
    return { name: 'extraction' as const, handler, queue: this.extractionQueue }
  }

  #simulatedEmbedder(): Embedder {
    return openAiEmbedder({
      baseUrl: 'https://provider.example/v1',
      model: 'simulated',
      apiKey: () => providerKey,
      timeoutSeconds: 60,
      now: () => this.queue.now * 1000,
      fetch: simulatedProvider(this.calls),
    })
  }

  #newEmbedding() {
    const handler = consumer({
      db: this.#as('cuecard_embedding'),
      queue: this.queue,
      embedder: this.#embedder(),
      chunkSize,
      callLimits: { inputs: this.callInputs, tokens: 1000 },
      semaphore: semaphore(2),
      random: this.random.next,
    })
    return { name: 'embedding' as const, handler, queue: this.queue }
  }

  /** Starts a worker on the messages. @param patience looks at the clock that it has before its time is up */
  async deliver(worker: Worker, messages: SimulatedMessage[], patience: number): Promise<void> {
    worker.messages = messages
    const Records = messages.map((each) => ({ messageId: each.id, receiptHandle: each.id, body: bodyOf(each.work) }))
    let looks = 0
    const context = { getRemainingTimeInMillis: () => (looks++ < patience ? 110_000 : 15_000) }
    worker.process = new Process(`worker of ${worker.name}`, () => worker.handler({ Records } as never, context))
    await worker.process.settled()
  }

  /** Starts an idle worker on up to three messages, in their order. @returns whether one had any to do */
  async deliverNext(patience: () => number): Promise<boolean> {
    const worker = this.workers.find((each) => !each.process && each.queue.visible.length > 0)
    if (!worker) return false
    const { queue } = worker
    const taken = queue.visible.slice(0, 1 + this.random.below(3)).flatMap((message) => queue.receive(message) ?? [])
    await this.deliver(worker, taken, patience())
    return true
  }

  /** Acknowledges finished workers; a new instance replaces a dead one. @throws a worker's error */
  acknowledge(isLost = () => false): void {
    for (const [i, worker] of this.workers.entries()) {
      const { process, queue } = worker
      if (!process || process.isRunning) continue
      worker.process = undefined
      if (process.isDead) this.workers[i] = this.newWorker(worker.name)
      else if ('error' in process.ended!) throw process.ended.error
      else {
        const { batchItemFailures } = process.ended!.value as { batchItemFailures: { itemIdentifier: string }[] }
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
        for (const message of worker.messages) if (!failed.has(message.id) && !isLost()) queue.remove(message)
      }
    }
  }

  /** Starts a request with the tenant's key. @param check of the response, in the request's process */
  send(app: RequestApp, key: string, [method, path, body]: Sent, check: (response: Response) => unknown): void {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const run = async () => check(await app.request(path, init))
    this.requests.push(new Process(`${method} ${path.slice(-40)}`, run))
  }

  /** Lets one of all points pass that processes wait at, which `random` picks. @returns its process, or undefined where there is none */
  async passNext(fateOf: (process: string) => Fate = () => 'ok'): Promise<Process | undefined> {
    const points = this.running.flatMap((each) => each.points)
    if (points.length === 0) return undefined
    const point = this.random.pick(points)
    await point.pass(fateOf(point.process.name), 'ok')
    // A request may wait for another's work in progress, so not all have a point.
    for (let turn = 0; turn < 50 && point.process.isRunning && point.process.points.length === 0; turn++)
      await new Promise((resolve) => setImmediate(resolve))
    return point.process
  }

  async sweep(): Promise<void> {
    const sweeper = {
      db: this.#as('cuecard_sweeper'),
      queue: this.routed,
      bucket: this.bucket,
    }
    const process = new Process('sweeper', () => sweep(sweeper))
    this.sweepers.push(process)
    await process.settled()
  }

  /** Lets time pass: everything in the database gets older. */
  async advance(seconds: number): Promise<void> {
    for (const queue of this.queues) queue.now += seconds
    const by = sql`make_interval(secs => ${seconds})`
    await this.db.batch({
      documents: sql`update documents set lease_expires_at = lease_expires_at - ${by}, next_attempt_at = next_attempt_at - ${by},
        resend_at = resend_at - ${by}, pending_since = pending_since - ${by},
        created_at = created_at - ${by}, upload_until = upload_until - ${by}`,
      files: sql`update obsolete_files set delete_at = delete_at - ${by}, last_at = last_at - ${by}`,
      models: sql`update agents set model_due_at = model_due_at - ${by}, former_until = former_until - ${by}`,
      keys: sql`update idempotency_keys set created_at = created_at - ${by}`,
    })
  }

  /** The database as a Lambda under that role reaches it. */
  as(role: string): Database {
    return this.#as(role)
  }

  get queues(): SimulatedQueue[] {
    return [this.queue, this.extractionQueue]
  }

  /** The number of round trips that the database has answered. */
  get statements(): number {
    return this.#statements()
  }

  get running(): Process[] {
    const all = [...this.workers.map((worker) => worker.process), ...this.sweepers, ...this.requests]
    return all.filter((process) => process?.isRunning) as Process[]
  }
}
