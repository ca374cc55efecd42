import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface System {
  ask(question: string): Promise<unknown>
  stop(): Promise<void>
}

/** Runs `npm start` on a database with a new data directory, and waits for its samples. @throws Error if it does not start */
export async function startSystem(databaseUrl: string, dataDir: string): Promise<System> {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../local/main.ts')], {
    env: { PATH, HOME, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const said = text(child.stderr)
  if (!(await readUntil(child.stdout, 'Press Ctrl-C'))) throw new Error(`npm start ended: ${(await said).trim()}`)
  const env = await readFile(join(dataDir, 'env'), 'utf8')
  const { BASE_URL, API_KEY, AGENT_ID } = Object.fromEntries(
    [...env.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${BASE_URL}/v1/agents/${AGENT_ID}${path}`, {
      headers: { 'x-api-key': API_KEY!, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
    return await response.json()
  }
  // A start waits for its samples only for a while.
  for (;;) {
    const { documents } = (await call('')) as { documents: Record<string, number> }
    if (!documents.pending && !documents.processing) break
    await sleep(500)
  }
  return {
    ask: (query) => call('/knowledge-base/search', { query, limit: 5, deadline_ms: 10_000 }),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Keeps reading after the line. @returns false if the output ends without it */
async function readUntil(output: NodeJS.ReadableStream, begin: string): Promise<boolean> {
  const lines = createInterface(output)
  return await new Promise((resolve) => {
    lines.on('line', (line) => line.startsWith(begin) && resolve(true))
    lines.once('close', () => resolve(false))
  })
}
