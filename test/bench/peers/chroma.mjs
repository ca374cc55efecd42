import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChromaClient } from 'chromadb'

const secondsToStart = 120
const rowsPerCall = 250

/** Chroma's server in a process of its own, asked over HTTP by its client; an agent has a collection. @throws Error where it cannot run */
export async function chroma() {
  const folder = await mkdtemp(join(tmpdir(), 'chroma-'))
  const port = await unusedPort()
  const child = spawn('bash', [join(import.meta.dirname, 'chroma.sh'), `${port}`, folder])
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      printed = `${printed}${data}`.slice(-500)
    })
  const client = new ChromaClient({ host: '127.0.0.1', port })
  const collections = new Map()
  for (let tries = 0; !(await client.heartbeat().catch(() => undefined)); tries++) {
    if (child.exitCode !== null || tries === 10 * secondsToStart) throw new Error(`Chroma does not start: ${printed}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    async add(agent, rows) {
      const configuration = { hnsw: { space: 'cosine' } }
      const collection = await client.getOrCreateCollection({ name: agent, configuration, embeddingFunction: null })
      collections.set(agent, collection)
      for (let at = 0; at < rows.length; at += rowsPerCall) {
        const some = rows.slice(at, at + rowsPerCall)
        const [ids, embeddings] = [some.map(({ chunk }) => `${chunk}`), some.map(({ vector }) => vector)]
        await collection.add({ ids, embeddings, documents: some.map(({ text }) => text) })
      }
    },
    async search(agent, vector, nResults) {
      const found = await collections.get(agent).query({ queryEmbeddings: [vector], nResults, include: ['documents'] })
      return found.documents[0]
    },
    async close() {
      // After SIGTERM it goes on, and takes all of a processor.
      child.kill('SIGKILL')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function unusedPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
