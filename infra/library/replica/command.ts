import { type Command, Option } from 'commander'
import { serviceOf } from '../../client/api.ts'
import { count, id, parser } from '../../command-line/options.ts'
import { perform } from '../../command-line/perform.ts'

interface Options {
  agent: string[]
  port: number
  socket?: string
  folder?: string
  vectors: 'service' | 'encoder'
  maxAge: number
  answerStale?: true
}

const seconds = parser(count(1))

export function addReplicaCommand(program: Command): void {
  program
    .command('replica')
    .description('answer searches on this machine, from snapshots of agents; with BASE_URL and API_KEY only')
    .addOption(
      new Option('--agent <id>', 'id of an agent; may be repeated')
        .argParser((text, before: string[] = []) => [...new Set([...before, id(text)])])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--port <port>', 'port on 127.0.0.1').argParser(parser(count(0, 65_535))).default(8799))
    .addOption(new Option('--socket <path>', 'Unix socket in place of a port').conflicts('port'))
    .option('--folder <folder>', 'folder that keeps the snapshots for the next start')
    .addOption(
      new Option('--vectors <source>', 'what makes the vectors of questions: the service, or the built-in encoder')
        .choices(['service', 'encoder'])
        .default('service'),
    )
    .addOption(new Option('--max-age <seconds>', 'age past which the service is asked').argParser(seconds).default(60))
    .option('--answer-stale', 'answer from older knowledge while the service can’t be reached')
    .action(
      perform(serviceOf, async ({ url, apiKey: key, program }, _, [options]: [Options]) => {
        const { agent: agentIds, maxAge: maxAgeSeconds, answerStale: answersStale, ...more } = options
        // Loaded only here: the other commands need none of it.
        const { serveReplica } = await import('./serve.ts')
        await serveReplica({ url, key, agentIds, maxAgeSeconds, answersStale, ...more }, program.terminal)
        return undefined
      }),
    )
}
