import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { DatabaseOptions } from '../../infra/local/database/database.ts'
import { pgliteWire } from '../../infra/local/database/pglite-wire.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'

interface EmptyDatabase {
  /** For an ordinary Postgres connection, as migrations open it: one at a time. */
  url: string
  /** What opens it as the stand's database; from then on nobody connects to `url`. */
  toOptions(): Promise<DatabaseOptions>
  drop(): Promise<void>
}

/** An empty database that listens on TCP: on the server of DATABASE_URL, or embedded. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const { DATABASE_URL: server } = process.env
  if (!server) return await listenEmbedded()
  const { url, drop } = await createScratchDatabase(server)
  return { url, toOptions: () => Promise.resolve({ url }), drop }
}

async function listenEmbedded(): Promise<EmptyDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-image-'))
  const pglite = await PGlite.create({ extensions: { vector } })
  const server = createServer((socket) => socket.pipe(pgliteWire(pglite)).pipe(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    async toOptions() {
      const image = join(directory, 'image.tar')
      server.close()
      await writeFile(image, new Uint8Array(await (await pglite.dumpDataDir('none')).arrayBuffer()))
      await pglite.close()
      return { image }
    },
    drop: () => rm(directory, { recursive: true }),
  }
}
