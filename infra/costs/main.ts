import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cuecardApp } from '../aws/app.ts'
import { stages } from '../aws/stages.ts'
import { resourcesOf } from './resources.ts'
import { replaceCosts } from './runbook.ts'
import { costTables } from './table.ts'

/** Reckons what prod costs, from its template, and writes it into the runbook. */
const directory = await mkdtemp(join(tmpdir(), 'cuecard-costs-'))
const app = await cuecardApp(directory, { prod: stages.prod })
app.synth()
const tables = costTables(resourcesOf(directory, 'prod'))
await rm(directory, { recursive: true })
const runbook = join(import.meta.dirname, '../README.md')
await writeFile(runbook, replaceCosts(await readFile(runbook, 'utf8'), tables))
console.log(tables)
