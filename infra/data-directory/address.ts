import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { ignoreMissing } from '../error-message.ts'
import { holderOf } from './lock.ts'

const addressSchema = v.object({
  pid: v.number(),
  /** The DATABASE_URL of the stand; absent for the embedded database. */
  server_url: v.optional(v.string()),
  database_url: v.string(),
  database_endpoint: v.string(),
  sqs_endpoint: v.string(),
  /** The queues' URLs, by the names of the settings. */
  queues: v.record(v.string(), v.string()),
})

/** The addresses of a running stand. They may contain a password, so only the owner may read them. */
type StandAddress = v.InferOutput<typeof addressSchema>

/** The region and credentials that SQS and S3 on loopback accept. */
export const localAws = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

/** Writes `stand.json` in `dataDir`, for other processes on this machine. @returns a function that removes the file */
export async function publishAddress(
  dataDir: string,
  address: Omit<StandAddress, 'pid'>,
): Promise<() => Promise<void>> {
  const file = fileIn(dataDir)
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify({ pid: process.pid, ...address }), { mode: 0o600 })
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
