import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Starts a program without a shell. `ended` rejects with the end of its stderr if it fails. */
export function startProgram(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): { stdout: Readable; ended: Promise<void> } {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const stderr = text(child.stderr)
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot run ${file}: ${error.message}`)))
    child.once('close', async (code, signal) => {
      if (code === 0) return resolve()
      const lines = (await stderr).trim().split('\n').slice(-5).join(' | ')
      reject(new Error(`${file} ended with ${signal ?? code}: ${lines}`))
    })
  })
  // The caller awaits it later; until then a rejection must not count as unhandled.
  ended.catch(() => {})
  return { stdout: child.stdout, ended }
}

/** @returns the program's stdout @throws Error if it fails */
export async function runProgram(file: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { stdout, ended } = startProgram(file, args, env)
  const [printed] = await Promise.all([text(stdout), ended])
  return printed
}
