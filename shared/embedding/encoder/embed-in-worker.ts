import { Worker } from 'node:worker_threads'
import { EmbeddingError, type EmbedOptions, unlessAborted } from '../embedder.ts'

export interface Task {
  text: string
  of: 'query' | 'document'
}

type Job = Task & {
  resolve(vector: Float32Array): void
  reject(error: EmbeddingError): void
  reportStop: ReportStop
}

/** Takes the error that ended the worker. */
export type ReportStop = (error: unknown) => void

const program = new URL(import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.mjs', import.meta.url)
let worker: Worker | undefined
let running: Job | undefined
const waiting = { query: new Set<Job>(), document: new Set<Job>() }

/** Embeds in a worker thread, which starts on demand and does not keep the process alive; questions go first. @throws EmbeddingError unavailable */
export async function embedInWorker(
  texts: string[],
  { of = 'document', signal, timeoutSeconds }: EmbedOptions = {},
  reportStop: ReportStop = () => {},
): Promise<Float32Array[]> {
  const jobs: Job[] = []
  const vectors = texts.map(
    (text) => new Promise<Float32Array>((resolve, reject) => jobs.push({ text, of, resolve, reject, reportStop })),
  )
  for (const job of jobs) waiting[of].add(job)
  startNext()
  const timeout = timeoutSeconds ? AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000)) : undefined
  const aborted = AbortSignal.any([signal, timeout].filter((each) => each !== undefined))
  try {
    return await unlessAborted(aborted, Promise.all(vectors))
  } finally {
    for (const job of jobs) waiting[of].delete(job)
  }
}

function startNext(): void {
  const [job] = [...waiting.query, ...waiting.document]
  if (running || !job) return
  waiting[job.of].delete(job)
  running = job
  worker ??= newWorker()
  worker.ref()
  worker.postMessage({ text: job.text, of: job.of } satisfies Task)
}

function newWorker(): Worker {
  const started = new Worker(program, { execArgv: [] })
  started.on('message', (vector: Float32Array) => {
    running?.resolve(vector)
    running = undefined
    started.unref()
    startNext()
  })
  const end = (cause: unknown) => {
    if (worker !== started) return
    running?.reject(new EmbeddingError('unavailable', 'The encoder has stopped', { cause }))
    worker = running = undefined
    startNext()
  }
  started.on('error', (error) => {
    running?.reportStop(error)
    end(error)
  })
  started.on('exit', end)
  return started
}
