import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import type { Answer, Call, Tenant } from '../support/stand/stand.ts'
import { collector, cuecard } from '../support/tools/command-line.ts'

/** Runs `npx cuecard replica` for a tenant's agent, on a free port by default, until the test ends. */
export async function startReplica(origin: string, { agentId, apiKey }: Tenant, ...args: string[]) {
  const ending = new AbortController()
  const { promise: serving, resolve } = Promise.withResolvers<string>()
  const stdout = collector((line) => {
    const [, address] = /^Serving (.+)$/m.exec(line) ?? []
    if (address) resolve(address)
  })
  const where = args.includes('--socket') ? [] : ['--port', '0']
  const env = { BASE_URL: origin, API_KEY: apiKey }
  const running = cuecard(['replica', '--agent', agentId, ...where, ...args], { env, stdout, signal: ending.signal })
  const end = async () => {
    ending.abort()
    return await running
  }
  onTestFinished(async () => void (await end()))
  const address = await Promise.race([serving, running.then(({ stderr }) => stderr)])
  return { address, end, printed: stdout.text, call: callerOf(address, apiKey) }
}

/** Runs a replica in a process of its own, until the test ends. @param command the program and its first arguments */
export async function spawnReplica(
  origin: string,
  { agentId, apiKey }: Tenant,
  [program, ...args]: readonly [string, ...string[]],
): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(program, [...args, 'replica', '--agent', agentId, '--port', '0'], {
    env: { ...process.env, BASE_URL: origin, API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += text
    const [, address] = /^Serving (.+)$/m.exec(printed) ?? []
    if (address) return { child, address }
  }
  throw new Error(`The replica has ended: ${printed}`)
}

/** Calls over HTTP. A string is sent unchanged, any other body as JSON. */
export function callerOf(origin: string, apiKey: string): Call {
  return async (method, path, body, headers): Promise<Answer> => {
    const response = await fetch(origin + path, {
      method,
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text && JSON.parse(text) }
  }
}
