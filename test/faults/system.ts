import { once } from 'node:events'
import { createServer } from 'node:net'
import { findStand } from '../../infra/data-directory/address.ts'
import { Database } from '../../shared/database/database.ts'
import { environmentOf, type Home, type StandProcess, type useStandProcesses } from '../support/stand/stand-process.ts'
import { unlimit } from '../support/stand/tenant.ts'
import type { Orders } from './within/connections.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  body: any
}

type Start = ReturnType<typeof useStandProcesses>['start']

const answerSeconds = 60
const within = new URL('within/main.ts', import.meta.url).href

/** The stand of `npm start` in a process of its own, which a test kills, starts again and disturbs from within. */
export class System {
  readonly home: Home
  readonly #start: Start
  readonly #env: Record<string, string>
  #process: StandProcess | undefined
  #agent = { origin: '', apiKey: '', agentId: '' }
  #up = Promise.withResolvers<void>()
  #isServing = false
  /** `sent` and `answered`: requests of the clients. */
  readonly events = new EventTarget()
  /** Connections that were cut within. */
  cuts = 0

  private constructor(home: Home, start: Start, env: Record<string, string>) {
    this.home = home
    this.#start = start
    this.#env = env
  }

  static async create(home: Home, start: Start, env: Record<string, string> = {}): Promise<System> {
    const chunks = { CHUNK_TOKENS: '40', CHUNK_OVERLAP_TOKENS: '0' }
    return new System(home, start, { PORT: await freePort(), NODE_OPTIONS: `--import=${within}`, ...chunks, ...env })
  }

  /** Resolves once the system serves, at once while it does. */
  get isUp(): Promise<void> {
    return this.#up.promise
  }

  /** The agent, with all that a program needs to call it. */
  get agent() {
    return this.#agent
  }

  get output(): string {
    return this.#process?.output() ?? ''
  }

  /** Resolves once it serves; rejects when it ends before. */
  async start(): Promise<void> {
    const started = this.launch()
    await started.prints('Serving')
    const { BASE_URL, API_KEY, AGENT_ID, ORGANIZATION_ID } = await environmentOf(this.home)
    this.#agent = { origin: BASE_URL!, apiKey: API_KEY!, agentId: AGENT_ID! }
    // The ledger's clients exceed the limits of one organization on a shared system.
    await unlimit(await this.database(), ORGANIZATION_ID!)
    this.#isServing = true
    this.#up.resolve()
  }

  /** Doesn't wait. */
  launch(): StandProcess {
    this.#process = this.#start({ ...this.home, ...this.#env }, ['--no-samples'])
    this.#process.process.on('message', (message) => {
      if (message === 'cut') this.cuts++
    })
    return this.#process
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    this.#process?.process.kill('SIGKILL')
    await this.ends()
  }

  async stop(): Promise<number | null | undefined> {
    this.#process?.process.kill('SIGINT')
    return await this.ends()
  }

  /** Resolves with the exit code. */
  async ends(): Promise<number | null | undefined> {
    // Callers that wait since the previous kill keep waiting on the same promise.
    if (this.#isServing) this.#up = Promise.withResolvers()
    this.#isServing = false
    return await this.#process?.ends()
  }

  /** @throws Error with its last output if the stand has ended by itself */
  order(orders: Orders): void {
    if (!this.#process?.process.connected) throw new Error(`the stand has ended:\n${this.output}`)
    this.#process.process.send(orders)
  }

  /** The ports of the running stand's database, queue and server. */
  async ports(): Promise<Record<'database' | 'queue' | 'server', number>> {
    const stand = (await findStand(this.home.DATA_DIR))!
    const portOf = (url: string) => Number(new URL(url).port)
    return {
      database: portOf(stand.database_endpoint),
      queue: portOf(stand.sqs_endpoint),
      server: this.home.DATABASE_URL ? portOf(this.home.DATABASE_URL) : 0,
    }
  }

  /** The running stand's database, as its owner. */
  async database(): Promise<Database> {
    const stand = (await findStand(this.home.DATA_DIR))!
    return new Database({ url: () => stand.database_url, endpoint: stand.database_endpoint, timeoutSeconds: 60 })
  }

  /** @param path below the agent's documents, or from `/v1` @returns undefined when there was no whole answer */
  async call(method: string, path: string, body?: unknown, headers: object = {}): Promise<Answer | undefined> {
    const { origin, agentId, apiKey } = this.#agent
    this.events.dispatchEvent(new Event('sent'))
    try {
      const whole = path.startsWith('/v1') ? path : `/v1/agents/${agentId}/knowledge-base${path}`
      const response = await fetch(origin + whole, {
        method,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(answerSeconds * 1000),
      })
      const text = await response.text()
      this.events.dispatchEvent(new Event('answered'))
      return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
    } catch {
      return undefined
    }
  }
}

/** Resolves after `count` more events of the kind. */
export function after(
  events: EventTarget,
  kind: 'sent' | 'answered' | 'embedding' | 'page' | 'told',
  count: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = count
  const hear = () => {
    if (--left > 0) return
    events.removeEventListener(kind, hear)
    resolve()
  }
  events.addEventListener(kind, hear)
  return promise
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return `${port}`
}
