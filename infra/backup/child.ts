import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

export interface Child {
  stdin: Writable
  stdout: Readable
  /** Rejects when the program fails, with what it has said. */
  ended: Promise<void>
}

/** Arguments and environment go as they are: no shell. */
export function start(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Child {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const said = text(child.stderr)
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot run ${file}: ${error.message}`)))
    child.once('close', async (code, signal) => {
      if (code === 0) return resolve()
      const words = (await said).trim().split('\n').slice(-5).join(' | ')
      reject(new Error(`${file} ended with ${signal ?? code}: ${words}`))
    })
  })
  // Whoever waits for it learns of it; until then it is not unhandled.
  ended.catch(() => {})
  // A program that ends early is reported by `ended`.
  child.stdin.on('error', () => {})
  return { stdin: child.stdin, stdout: child.stdout, ended }
}

/** What a program prints. @throws Error when it fails */
export async function output(file: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const child = start(file, args, env)
  child.stdin.end()
  const [printed] = await Promise.all([text(child.stdout), child.ended])
  return printed
}
