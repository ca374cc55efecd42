import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { LocalDatabase } from './database/database.ts'
import { holderOf } from './directory-lock.ts'
import type { Emulator } from './emulator.ts'

const addressSchema = v.object({
  pid: v.number(),
  /** What the stand was started with; absent for the embedded database. */
  server_url: v.optional(v.string()),
  database_url: v.string(),
  database_endpoint: v.string(),
  sqs_endpoint: v.string(),
  queue_url: v.string(),
  dead_letter_queue_url: v.string(),
  extraction_queue_url: v.string(),
  extraction_dead_letter_queue_url: v.string(),
})

/** Where the parts of a running stand listen. May contain the password of a PostgreSQL server: readable by its owner only. */
export type StandAddress = v.InferOutput<typeof addressSchema>

interface Parts {
  serverUrl?: string | undefined
  database: Pick<LocalDatabase, 'url' | 'endpoint'>
  emulator: Pick<Emulator, 'endpoint' | 'queues'>
}

/** For other processes on this machine, as `stand.json` in `dataDir`. @returns removes the file */
export async function publishAddress(
  dataDir: string,
  { serverUrl, database, emulator }: Parts,
): Promise<() => Promise<void>> {
  const address: StandAddress = {
    pid: process.pid,
    server_url: serverUrl,
    database_url: database.url,
    database_endpoint: database.endpoint,
    sqs_endpoint: emulator.endpoint,
    queue_url: emulator.queues.embedding.queueUrl,
    dead_letter_queue_url: emulator.queues.embedding.deadLetterUrl,
    extraction_queue_url: emulator.queues.extraction.queueUrl,
    extraction_dead_letter_queue_url: emulator.queues.extraction.deadLetterUrl,
  }
  const file = fileIn(dataDir)
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify(address), { mode: 0o600 })
  await rename(draft, file)
  return () => rm(file, { force: true })
}

export async function findStand(dataDir: string): Promise<StandAddress | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
  const address = v.parse(v.pipe(v.string(), v.parseJson(), addressSchema), text)
  return (await holderOf(dataDir)) === address.pid ? address : undefined
}

const fileIn = (dataDir: string) => join(dataDir, 'stand.json')

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
