import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openDatabase } from '../../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../../infra/local/database/scratch-database.ts'

const main = join(import.meta.dirname, '../../../infra/local/main.ts')

export interface StandProcess {
  process: ChildProcess
  /** All that it printed so far. */
  output(): string
  /** Resolves with the output once it holds the text; rejects when the process ends without it. */
  prints(text: string): Promise<string>
  /** Resolves with the exit code. */
  ends(): Promise<number | null>
}

export interface Home {
  DATA_DIR: string
  DATABASE_URL?: string
}

interface HomeOptions {
  isEmpty?: boolean
  /** Null for the embedded database. */
  server?: string | null
  directory?: string
}

/** Runs stands as `npm start` does, each in a process of its own; they end, and their homes go, with the test file. */
export function useStandProcesses() {
  const cleanups: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const clean of cleanups.reverse()) await clean()
  })
  const cleanUp = (clean: () => Promise<unknown>) => void cleanups.push(clean)

  /** A home for a stand, with an embedded database in it unless the stand is to make one itself, or with one on the server. */
  async function home({
    isEmpty = false,
    server = process.env.DATABASE_URL ?? null,
    directory,
  }: HomeOptions = {}): Promise<Home> {
    const DATA_DIR = directory ?? (await mkdtemp(join(tmpdir(), 'cuecard-')))
    cleanUp(() => rm(DATA_DIR, { recursive: true, force: true }))
    if (!server) {
      if (!isEmpty) await (await openDatabase({ dataDir: DATA_DIR, image: process.env.DATABASE_IMAGE })).close()
      return { DATA_DIR }
    }
    const scratch = await createScratchDatabase(server)
    cleanUp(scratch.drop)
    return { DATA_DIR, DATABASE_URL: scratch.url }
  }

  function start(env: Partial<Home> & Record<string, string>, args: string[] = []): StandProcess {
    const { DATABASE_URL: _, ...inherited } = process.env
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...inherited, POWERTOOLS_LOG_LEVEL: '', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    cleanUp(async () => child.kill('SIGKILL'))
    let output = ''
    const ended = once(child, 'close')
    let heard = Promise.withResolvers<void>()
    const hear = (chunk: Buffer) => {
      output += chunk
      heard.resolve()
      heard = Promise.withResolvers()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    return {
      process: child,
      output: () => output,
      async prints(text) {
        while (!output.includes(text)) {
          const isAlive = await Promise.race([heard.promise.then(() => true), ended.then(() => output.includes(text))])
          if (!isAlive) throw new Error(`ended without printing ${text}:\n${output}`)
        }
        return output
      },
      ends: async () => (await ended)[0] as number | null,
    }
  }

  return { home, start, cleanUp }
}

/** The variables that a newcomer sources. */
export async function environmentOf({ DATA_DIR }: Home): Promise<Record<string, string>> {
  const lines = (await readFile(join(DATA_DIR, 'env'), 'utf8')).trim().split('\n')
  return Object.fromEntries(lines.map((line) => /^export ([A-Z_]+)=(.+)$/.exec(line)!.slice(1) as [string, string]))
}
