import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { config } from '../../config.ts'
import { describeError, log } from '../../log.ts'
import { EmbeddingError, type EmbedOptions } from '../embedder.ts'

export interface Task {
  text: string
  of: 'query' | 'document'
}

type Job = Task & PromiseWithResolvers<Float32Array>

/** Each has the model in memory, and keeps a core busy: a Lambda has memory for one. */
const maxWorkers = config().AWS_LAMBDA_FUNCTION_NAME ? 1 : Math.min(2, availableParallelism())
const program = new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.mjs', import.meta.url)
const workers = new Map<Worker, Job | undefined>()
const waiting = { query: new Set<Job>(), document: new Set<Job>() }

/** Embeds in worker threads, which start on demand and do not keep the process alive; questions go first. @throws EmbeddingError unavailable */
export async function embedInWorkers(
  texts: string[],
  { of = 'document', signal, timeoutSeconds }: EmbedOptions = {},
): Promise<Float32Array[]> {
  const jobs = texts.map((text) => ({ text, of, ...Promise.withResolvers<Float32Array>() }))
  for (const job of jobs) waiting[of].add(job)
  startWaiting()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(new EmbeddingError('unavailable', 'The call was aborted'))
  const timer = timeoutSeconds && setTimeout(abort, timeoutSeconds * 1000)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  try {
    return await Promise.race([Promise.all(jobs.map(({ promise }) => promise)), aborted])
  } finally {
    if (timer) clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    for (const job of jobs) waiting[of].delete(job)
  }
}

function startWaiting(): void {
  for (const job of inOrder()) {
    const worker = idleWorker()
    if (!worker) return
    waiting[job.of].delete(job)
    workers.set(worker, job)
    worker.ref()
    worker.postMessage({ text: job.text, of: job.of } satisfies Task)
  }
}

function* inOrder() {
  yield* waiting.query
  yield* waiting.document
}

function idleWorker(): Worker | undefined {
  for (const [worker, job] of workers) if (!job) return worker
  return workers.size < maxWorkers ? newWorker() : undefined
}

function newWorker(): Worker {
  const worker = new Worker(program, { execArgv: [] })
  worker.on('message', (vector: Float32Array) => {
    workers.get(worker)?.resolve(vector)
    workers.set(worker, undefined)
    worker.unref()
    startWaiting()
  })
  const end = (cause: unknown) => {
    workers.get(worker)?.reject(new EmbeddingError('unavailable', 'The encoder has stopped', { cause }))
    workers.delete(worker)
    startWaiting()
  }
  worker.on('error', (error) => {
    log.error('encoder_stopped', { error: describeError(error) })
    end(error)
  })
  worker.on('exit', end)
  return worker
}
