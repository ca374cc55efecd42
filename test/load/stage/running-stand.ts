import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../../infra/local/database/scratch-database.ts'
import { findStand } from '../../../infra/local/stand-address.ts'
import { Database } from '../../../shared/database/database.ts'

/** Where the stand has its database. */
export interface Server {
  /** Of a PostgreSQL; without it, the stand embeds one. */
  url: string | undefined
  /** What an embedded one begins with, instead of nothing. */
  image?: string | undefined
}

export interface RunningStand {
  origin: string
  /** As the owner, by the stand's own endpoint. */
  db: Database
  close(): Promise<void>
}

/** `npm start` in a process of its own, on a scratch database. @throws Error when it does not start */
export async function startRunningStand({ url, image }: Server, embeddingBaseUrl: string): Promise<RunningStand> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuecard-load-'))
  const scratch = url ? await createScratchDatabase(url) : undefined
  if (!scratch && image) await (await openDatabase({ dataDir, image })).close()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../infra/local/main.ts'), '--no-samples'], {
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: scratch?.url ?? '',
      EMBEDDING_BASE_URL: embeddingBaseUrl,
      EMBEDDING_MODEL: 'load',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const close = async () => {
    child.kill('SIGTERM')
    await exited
    await scratch?.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    let output = ''
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      output += chunk
      if (output.includes('Press Ctrl-C')) break
    }
    child.stdout.resume()
    const origin = /Serving (\S+)\/v1/.exec(output)?.[1]
    const address = await findStand(dataDir)
    if (!origin || !address) throw new Error(`the stand did not start:\n${output}`)
    const db = new Database({
      url: () => address.database_url,
      endpoint: address.database_endpoint,
      timeoutSeconds: 60,
    })
    return { origin, db, close }
  } catch (error) {
    await close()
    throw error
  }
}
