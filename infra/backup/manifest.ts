import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import type { Store } from './store.ts'

const manifest = v.object({
  format: v.literal(1),
  /** The moment that the backup is of. */
  taken_at: v.pipe(v.string(), v.isoTimestamp()),
  seconds: v.number(),
  server_version: v.number(),
  dump: v.object({ bytes: v.number(), sha256: v.string() }),
  roles: v.array(v.string()),
  migrations: v.array(v.string()),
  tables: v.record(v.string(), v.object({ rows: v.string(), sum: v.string() })),
})

/** What a backup says of itself. It holds counts and sums, nothing of a customer. */
export type Manifest = v.InferOutput<typeof manifest>

export const dumpOf = (name: string) => `${name}/dump.age`
export const manifestOf = (name: string) => `${name}/manifest.json`
/** The newest list; a restore is followed by a replay of it. */
export const erasuresFile = 'erasures.json'

/** Names of complete backups, oldest first: the manifest comes last. */
export async function backupsIn(store: Store): Promise<string[]> {
  const files = await store.list()
  return files.filter((file) => file.endsWith('/manifest.json')).map((file) => file.slice(0, file.indexOf('/')))
}

/** @throws Error when it is not a manifest of ours */
export async function readManifest(store: Store, name: string): Promise<Manifest> {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), manifest), await text(store.get(manifestOf(name))))
  if (result.success) return result.output
  throw new Error(`${manifestOf(name)} is not a manifest: ${result.issues[0].message}`)
}
