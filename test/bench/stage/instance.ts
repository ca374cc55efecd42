import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Timed } from './instance-process.ts'

/** A new instance of the Lambda in `file`, in this environment and no other, that answers at most one event and ends. */
export async function coldStart(file: string, env: Record<string, string>, event?: unknown) {
  const child = fork(join(import.meta.dirname, 'instance-process.ts'), [file], { env, execArgv: [] })
  const next = async () => {
    const ended = new AbortController()
    const { signal } = ended
    const failed = once(child, 'exit', { signal }).then(([code]) =>
      Promise.reject(new Error(`the instance ended with ${code}`)),
    )
    failed.catch(() => {})
    try {
      const [timed] = await Promise.race([once(child, 'message', { signal }), failed])
      return timed as Timed
    } finally {
      ended.abort()
    }
  }
  const loaded = await next()
  let answered: Timed | undefined
  if (event !== undefined) {
    child.send(event as object)
    answered = await next()
  }
  child.disconnect()
  await once(child, 'exit')
  return { loaded, answered }
}
