import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { Pool } from 'pg'
import { pgliteWire } from '../../../infra/local/database/pglite-wire.ts'
import { migrate } from '../../../infra/migrations/migrate.ts'

const root = join(import.meta.dirname, '../../..')

/** Makes every embedded database of the tests a copy of a migrated one: making one takes seconds, copying does not. */
export default async function setup(): Promise<void> {
  process.env.DATABASE_IMAGE = await databaseImage()
}

function sourcesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Path of the image; made when the schema, or a package, has changed since the last one. */
async function databaseImage(): Promise<string> {
  const sources = [join(root, 'package-lock.json'), ...sourcesIn(join(root, 'infra/migrations'))]
  const digest = createHash('sha256')
  for (const file of sources) digest.update(readFileSync(file))
  const directory = join(root, 'node_modules/.cache/cuecard')
  const image = join(directory, `database-${digest.digest('hex').slice(0, 16)}.tar`)
  if (existsSync(image)) return image
  await mkdir(directory, { recursive: true })
  const draft = `${image}.${process.pid}`
  await writeFile(draft, await migratedDataDirectory())
  await rename(draft, image)
  return image
}

async function migratedDataDirectory(): Promise<Uint8Array> {
  const pglite = await PGlite.create({ extensions: { vector } })
  const pool = new Pool({ stream: () => pgliteWire(pglite), user: 'postgres', database: 'postgres', max: 1 })
  await migrate(pool)
  await pool.end()
  const image = await pglite.dumpDataDir('none')
  await pglite.close()
  return new Uint8Array(await image.arrayBuffer())
}
