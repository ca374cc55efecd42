import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toJsonRows } from '../support/tools/json-rows.ts'
import type { Bench, Part } from './part.ts'
import { calls } from './parts/calls.ts'
import { chunker } from './parts/chunker.ts'
import { start } from './parts/cold-start.ts'
import { ingest } from './parts/ingest.ts'
import { inside } from './parts/inside.ts'
import { recall } from './parts/recall.ts'
import { roundTrips } from './parts/round-trips.ts'
import { search } from './parts/search.ts'
import { sessions } from './parts/sessions.ts'
import { withFigures } from './report/readme.ts'
import { type Run, toMeasured } from './report/run.ts'
import { toTable } from './report/table.ts'
import { openPeers } from './stage/peers.ts'
import { openServer, type Server } from './stage/server.ts'

const { values: options } = parseArgs({
  options: {
    /** Names of parts, separated by commas. */
    only: { type: 'string' },
    /** See `isShort`. */
    short: { type: 'boolean', default: false },
    /** Writes the figures of the last run into the README, and keeps its JSON in results/. */
    readme: { type: 'boolean', default: false },
  },
})

const parts: readonly Part[] = [ingest, search, inside, sessions, calls, recall, chunker, start, roundTrips]
const root = join(import.meta.dirname, '../..')
const lastRun = join(root, 'node_modules/.cache/cuecard/bench')
const started = performance.now()
const seconds = () => (performance.now() - started) / 1000

function progress(text: string): void {
  console.error(`${seconds().toFixed(0).padStart(5)} s  ${text}`)
}

if (options.readme) publish()
else await measureAll()

async function measureAll(): Promise<void> {
  const server = await openServer(process.env.DATABASE_URL || undefined)
  const only = options.only?.split(',')
  const run = newRun(server)
  const bench: Bench = { server, peers: openPeers((text) => run.remarks.push(text)), progress }
  for (const part of parts.filter(({ name }) => only === undefined || only.includes(name))) {
    progress(part.title)
    run.parts.push(await measure(part, bench))
  }
  run.minutes = Math.round(seconds() / 6) / 10
  write(lastRun, run)
  console.log(toTable(run))
  console.log(`\n${run.server}; ${run.machine}; ${run.minutes} minutes`)
  for (const remark of run.remarks) console.log(remark)
  console.log(`All samples' summaries: ${lastRun}`)
}

/** A part that fails keeps what it has measured. */
async function measure({ name, title, run }: Part, bench: Bench): Promise<Run['parts'][number]> {
  const part: Run['parts'][number] = { name, title, measurements: [] }
  try {
    for await (const measurement of run(bench)) part.measurements.push(toMeasured(measurement))
  } catch (error) {
    part.error = (error as Error).message
    console.error(error)
    process.exitCode = 1
  }
  return part
}

function newRun(server: Server): Run {
  const remarks: string[] = []
  if (!server.isNative)
    remarks.push(
      'No DATABASE_URL: on the embedded PostgreSQL, which runs one session at a time in WebAssembly. Sizes are smaller, and the times say little about a server.',
    )
  return {
    startedAt: new Date().toISOString(),
    minutes: 0,
    isNative: server.isNative,
    server: server.description,
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    versions: { node: process.version, ...peerVersions() },
    remarks,
    parts: [],
  }
}

function peerVersions(): Record<string, string> {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../foreign/package-lock.json'), 'utf8'))
  const names = Object.keys(packages[''].dependencies)
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]))
}

function publish(): void {
  const run: Run = JSON.parse(readFileSync(join(lastRun, 'run.json'), 'utf8'))
  write(join(import.meta.dirname, 'results'), run)
  const readme = join(root, 'README.md')
  writeFileSync(readme, withFigures(readFileSync(readme, 'utf8'), run))
}

function write(folder: string, run: Run): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'run.json'), toJsonRows(run))
}
