import { once } from 'node:events'
import { CommandError } from '../../command-line/command-error.ts'
import { sentenceOf } from '../../command-line/sentence.ts'
import type { Terminal } from '../../command-line/terminal.ts'
import { type AgentOptions, type OpenAgent, openAgent } from '../open-agent.ts'
import { replicaApp } from './app.ts'
import { listen } from './listen.ts'

interface Options extends Omit<AgentOptions, 'agentId'> {
  agentIds: readonly string[]
  port: number
  socket?: string | undefined
}

/** Serves agents until the terminal's signal aborts. @throws CommandError if an agent can't be opened, or the address is in use */
export async function serveReplica({ agentIds, port, socket, ...options }: Options, terminal: Terminal): Promise<void> {
  const { stdout } = terminal
  const agents = new Map<string, OpenAgent>()
  try {
    for (const agentId of agentIds) {
      const agent = await open({ ...options, agentId })
      agents.set(agentId, agent)
      const { version, chunks } = agent.status()
      stdout.write(`${agentId}: version ${version}, ${chunks} chunks\n`)
    }
    const { signal } = terminal
    const { address, close } = await listen(replicaApp(agents, options.key), { port, socket })
    stdout.write(`Serving ${address}\n`)
    if (!signal.aborted) await once(signal, 'abort')
    await close()
  } finally {
    await Promise.all(Array.from(agents.values(), (agent) => agent.close()))
  }
}

async function open(options: AgentOptions): Promise<OpenAgent> {
  try {
    return await openAgent(options)
  } catch (error) {
    throw new CommandError(`agent ${options.agentId}: ${sentenceOf(error)}`)
  }
}
