import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Pace } from './pace.ts'

export interface Provider {
  /** As in EMBEDDING_BASE_URL. */
  baseUrl: string
  /** From now on. */
  setPace(pace: Pace): void
  close(): Promise<void>
}

export async function openProvider(): Promise<Provider> {
  const child = fork(join(import.meta.dirname, 'provider-process.ts'))
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => Promise.reject(new Error(`the provider's process ended with ${code}`)))
  failed.catch(() => {})
  const [origin] = await Promise.race([once(child, 'message'), failed])
  return {
    baseUrl: `${origin}/v1`,
    setPace: (pace) => void child.send(pace),
    async close() {
      child.disconnect()
      await exited
    },
  }
}
