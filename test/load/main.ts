import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withSection } from '../bench/report/readme.ts'
import { describeServer } from '../bench/stage/server.ts'
import { type Report, toMarkdown } from './report/table.ts'
import type { Basis, Measured } from './scenario.ts'
import { scenarios } from './scenarios/all.ts'
import { findHeld } from './scenarios/ramp.ts'
import { openStage } from './stage/stage.ts'

const { values: options } = parseArgs({
  options: {
    /** Length of the load of each line. */
    seconds: { type: 'string', default: '12' },
    /** Names of scenarios, separated by commas. */
    only: { type: 'string' },
    /** In place of the rate that a ramp finds, in requests a second. */
    held: { type: 'string' },
    /** Writes the table into README.md beside this file. */
    readme: { type: 'boolean', default: false },
  },
})

const started = performance.now()
const loadBefore = loadavg()[0]!
const only = options.only?.split(',')
const seconds = Number(options.seconds)
const serverUrl = process.env.DATABASE_URL || undefined

function progress(text: string): void {
  console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${text}`)
}

const description = await describeServer(serverUrl)
const stage = await openStage({ url: serverUrl })
const interrupt = () => stage.close().finally(() => process.exit(130))
process.once('SIGINT', interrupt).once('SIGTERM', interrupt)

try {
  const markdown = toMarkdown(await measure())
  console.log(markdown)
  if (options.readme) publish(markdown)
} finally {
  await stage.close()
}

async function measure(): Promise<Report> {
  // The first seconds of a process are compiling.
  const held = options.held === undefined ? await findHeld(stage, progress) : Number(options.held)
  const basis: Basis = { seconds, held }
  const measured: Measured[] = []
  for (const scenario of scenarios.filter(({ name }) => only?.includes(name) ?? true))
    for await (const each of scenario.run(stage, basis)) {
      measured.push(each)
      progress(each.title)
    }
  return { basis, measured, circumstances: circumstances() }
}

function circumstances(): string {
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`
  const minutes = Math.round((performance.now() - started) / 6000) / 10
  const parts = [machine, description, `Node ${process.version}`, `${minutes} minutes`, besides()]
  return `${new Date().toISOString().slice(0, 10)}: ${parts.join('; ')}.`
}

/** Whether the machine had other work when the run began. */
function besides(): string {
  const load = `load average ${loadBefore.toFixed(1)} when it began`
  return loadBefore > availableParallelism() / 2
    ? `measured beside other work of the machine (${load}), so the times are too long`
    : load
}

function publish(markdown: string): void {
  const readme = join(import.meta.dirname, 'README.md')
  writeFileSync(readme, withSection(readFileSync(readme, 'utf8'), 'npm run load', markdown))
}
