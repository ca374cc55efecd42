import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OrganizationId } from '../../../shared/ids.ts'
import { Unreadable, type UnreadableCode } from '../../../shared/text/unreadable.ts'
import type { Progress } from './pdf/page-notes.ts'
import { residentMb } from './process-memory.ts'
import type { ReaderProgress, ReaderReady, ReaderReply, ReaderRequest } from './reader.ts'

/** `seconds` limit a file, and each page that has to be recognised; `secondsInAll` limit all of them. */
type ReaderLimits = { seconds: number; secondsInAll: number; memoryMb: number }

type Job = { request: ReaderRequest; progress: Progress; deadline: number; last: number }

const watchEveryMs = 50
const keepBelowMb = 400
const filesPerProcess = 100

const program = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? 'reader.ts' : 'reader.mjs', import.meta.url))

/** Reads one organization's files in a child process, without its parent's environment and rights to write, start programs or read data. */
export class ReaderProcess {
  readonly #limits: ReaderLimits
  #child: ChildProcess | undefined
  #organizationId: OrganizationId | undefined
  #files = 0

  constructor(limits: ReaderLimits) {
    this.#limits = limits
  }

  /** @throws Unreadable for a file that exceeds the limits or ends the process twice; Error for faults of ours */
  async read(
    request: ReaderRequest,
    organizationId: OrganizationId,
    progress: Progress = () => {},
  ): Promise<Extract<ReaderReply, { text: string }>> {
    if (organizationId !== this.#organizationId) this.end()
    this.#organizationId = organizationId
    const last = performance.now() + this.#limits.secondsInAll * 1_000
    const next = () => performance.now() + this.#limits.seconds * 1_000
    const job: Job = { request, deadline: next(), last, progress }
    job.progress = (...pages) => {
      job.deadline = next()
      progress(...pages)
    }
    const reply = (await this.#attempt(job)) ?? (await this.#attempt(job))
    if (!reply) throw new Unreadable('too_complex', new Error('The process that reads files ended twice'))
    if (++this.#files >= filesPerProcess || reply.usedMb > keepBelowMb) this.end()
    if ('fault' in reply) throw new Error(`A file could not be read: ${reply.fault}`)
    if ('unreadable' in reply) throw new Unreadable(reply.unreadable, reply.reason)
    return reply
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  end(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#files = 0
  }

  async #attempt(job: Job): Promise<ReaderReply | undefined> {
    const child = this.#child ?? (await started(this.#limits.memoryMb))
    this.#child = child
    const watch = watchOver(child, job, this.#limits.memoryMb)
    hold(child, true)
    try {
      return await Promise.race([replyOf(child, job), watch.exceeded])
    } catch (error) {
      this.end()
      throw error
    } finally {
      watch.end()
      hold(child, false)
      if (child.exitCode !== null || child.signalCode !== null || !child.connected) this.end()
    }
  }
}

async function started(memoryMb: number): Promise<ChildProcess> {
  const child = fork(program, {
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [
      `--max-old-space-size=${Math.round(memoryMb * 0.6)}`,
      '--no-warnings',
      '--permission',
      '--allow-addons',
      ...codeFolders().map((folder) => `--allow-fs-read=${folder}`),
    ],
  })
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (first !== ('ready' satisfies ReaderReady)) throw new Error('The process that reads files does not start')
  return child
}

/** The bundle's folder, or the repository with its packages. */
function codeFolders(): string[] {
  if (program.endsWith('.mjs')) return [dirname(program)]
  const root = join(dirname(program), '../../..')
  return [root, realpathSync(join(root, 'node_modules'))]
}

async function replyOf(child: ChildProcess, { request, progress }: Job): Promise<ReaderReply | undefined> {
  return await new Promise((resolve) => {
    const receive = (message: ReaderProgress | ReaderReply) =>
      'pagesRead' in message ? progress(message.pagesRead, message.pages) : settle(message)
    const settle = (reply?: ReaderReply) => {
      child.off('message', receive).off('exit', ended).off('error', ended)
      resolve(reply)
    }
    const ended = () => settle()
    child.on('message', receive).on('exit', ended).on('error', ended)
    child.send(request, (error) => error && ended())
  })
}

function watchOver(child: ChildProcess, job: Job, memoryMb: number): { exceeded: Promise<never>; end(): void } {
  const { promise: exceeded, reject } = Promise.withResolvers<never>()
  const exceed = (what: string, code: UnreadableCode = 'too_complex') => reject(new Unreadable(code, new Error(what)))
  const watch = setInterval(async () => {
    if (performance.now() > job.last) exceed('Its pages took too long', 'too_many_scans')
    if (performance.now() > job.deadline) exceed('It took too long')
    const used = await residentMb(child.pid)
    if (used !== undefined && used > memoryMb) exceed(`It took more than ${memoryMb} MB of memory`)
  }, watchEveryMs)
  return { exceeded, end: () => clearInterval(watch) }
}

/** An idle process does not keep its parent alive. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const method = isHeld ? 'ref' : 'unref'
  child[method]()
  child.channel?.[method]()
}
