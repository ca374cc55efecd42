import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { Client } from 'pg'
import { createScratchDatabase } from '../../../infra/local/database/scratch-database.ts'
import type { Query, Reply } from './database-process.ts'

/** The server with the databases of all contestants. */
export interface Server {
  /** False where each database is a PGlite in memory, in a process of its own. */
  isNative: boolean
  description: string
  /** An empty database for peers, by its URL. */
  forPeers(): Promise<PeersDatabase>
  /** A migrated database behind an endpoint like Neon's. */
  forOurs(): Promise<OurDatabase>
}

export interface PeersDatabase {
  url: string
  /** The size of a client's pool: an embedded database has one session. */
  max: number
  close(): Promise<void>
}

export interface OurDatabase {
  /** The URL for Neon's driver: it names the endpoint's port and the owner. */
  url: string
  /** One statement as the owner, past the endpoint. @returns every value as text */
  query(text: string, values?: unknown[]): Promise<Record<string, string | null>[]>
  close(): Promise<void>
}

export async function openServer(serverUrl: string | undefined): Promise<Server> {
  const open = new Set<() => Promise<void>>()
  const scratch = async () => {
    if (serverUrl === undefined) return undefined
    const { url, drop } = await createScratchDatabase(serverUrl)
    open.add(drop)
    return { url, drop: () => drop().finally(() => open.delete(drop)) }
  }
  const interrupt = async () => {
    await Promise.allSettled([...open].map((drop) => drop()))
    process.exit(130)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return {
    isNative: serverUrl !== undefined,
    description: await describeServer(serverUrl),
    async forPeers() {
      const database = await scratch()
      if (database) return { url: database.url, max: 10, close: () => database.drop() }
      const { child, url } = await startProcess('peers')
      return { url, max: 1, close: () => end(child) }
    },
    async forOurs() {
      const database = await scratch()
      const { child, url } = await startProcess('ours', database?.url)
      let queries = 0
      const waiting = new Map<number, (reply: Reply) => void>()
      child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
      return {
        url,
        async query(text, values = []) {
          const id = ++queries
          const reply = await new Promise<Reply>((resolve) => {
            waiting.set(id, resolve)
            child.send({ id, text, values } satisfies Query)
          })
          waiting.delete(id)
          if ('error' in reply) throw new Error(`${reply.error} in: ${text.slice(0, 200)}`)
          return reply.rows
        },
        async close() {
          await end(child)
          await database?.drop()
        },
      }
    },
  }
}

async function startProcess(...args: (string | undefined)[]): Promise<{ child: ChildProcess; url: string }> {
  const file = join(import.meta.dirname, 'database-process.ts')
  const child = fork(
    file,
    args.filter((arg) => arg !== undefined),
  )
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the process of a database ended with ${code}`)))
  })
  return { child, url }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.disconnect()
  })
}

/** Versions and settings of the server of that URL, or of the embedded one. */
async function describeServer(serverUrl: string | undefined): Promise<string> {
  if (serverUrl === undefined) return 'PGlite (embedded PostgreSQL, one session, WebAssembly)'
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  const { rows } = await client.query(`select split_part(version(), ' on ', 1) as version,
    (select default_version from pg_available_extensions where name = 'vector') as pgvector,
    current_setting('shared_buffers') as shared_buffers`)
  await client.end()
  const [{ version, pgvector, shared_buffers }] = rows
  return `${version}, pgvector ${pgvector}, ${shared_buffers} of shared buffers`
}
