import { fork } from 'node:child_process'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Call {
  id: number
  event: unknown
  /** Time, in milliseconds, at which the call is over. */
  deadline: number
}

export interface Reply {
  /** The id of the answered call; 0 reports that the module is loaded. */
  id: number
  result?: unknown
  error?: string
  /** The time since the import of the module began. */
  milliseconds?: number
  /** Memory, the most so far. */
  peakBytes?: number
}

export type LambdaInstance = Awaited<ReturnType<typeof startInstance>>

/** The command-line options of Lambda's runtime for 1,024 MB (by public copies of its bootstrap, for Node.js 10 to 18). */
const ownHeapOptions = ['--max-semi-space-size=51', '--max-old-space-size=921']

/**
 * One instance of a Lambda, as the service starts it: a process that imports the module in `file`, in this environment and
 * no other. Rejects when the module does not load. `stop` gives all that the instance has written to its log.
 */
export async function startInstance(file: string, env: Record<string, string>) {
  const wrapper = env.AWS_LAMBDA_EXEC_WRAPPER?.replace('/var/task', dirname(file))
  const child = fork(join(import.meta.dirname, 'lambda-runner.ts'), {
    env: { ...env, _HANDLER: file },
    silent: true,
    execArgv: [],
    ...(wrapper && { execPath: wrapper, execArgv: [process.execPath, ...ownHeapOptions] }),
  })
  const output = Promise.all([text(child.stdout!), text(child.stderr!)])
  const waiting = new Map<number, (reply: Reply) => void>()
  const replyTo = (id: number) => new Promise<Reply>((resolve) => waiting.set(id, resolve))
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
  child.once('exit', (code) => {
    for (const [id, resolve] of waiting) resolve({ id, error: `the instance ended with ${code}` })
  })
  const { error } = await replyTo(0)
  if (error) throw new Error(`${error}: ${(await output).join('')}`)
  let calls = 0
  const call = (event: unknown, seconds = 60): Promise<Reply> => {
    const id = ++calls
    const reply = replyTo(id)
    child.send({ id, event, deadline: Date.now() + seconds * 1000 } satisfies Call)
    return reply
  }
  return {
    call,
    /** Calls the handler; rejects with its error. */
    async invoke(event: unknown): Promise<unknown> {
      const { result, error } = await call(event)
      if (error) throw new Error(error)
      return result
    },
    async stop(): Promise<string> {
      child.kill()
      return (await output).join('')
    },
  }
}
