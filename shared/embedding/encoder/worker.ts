import { parentPort } from 'node:worker_threads'
import type { Task } from './embed-in-worker.ts'
import { passageEncoder } from './passage-encoder.ts'

const loading = passageEncoder()
parentPort!.on('message', async ({ text, of }: Task) => {
  const encode = await loading
  const vector = await encode(text, of)
  parentPort!.postMessage(vector, [vector.buffer as ArrayBuffer])
})
