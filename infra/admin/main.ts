import { Command } from 'commander'
import { Unavailable } from '../../shared/http/errors.ts'
import { callCommand } from './commands/calls.ts'
import { documentCommand } from './commands/documents.ts'
import { healthCommand, queueCommand } from './commands/operations.ts'
import { agentCommand, keyCommand, organizationCommand } from './commands/tenants.ts'
import { environmentHelp } from './connection.ts'
import { onOneLine } from './print.ts'

const program = new Command('npx cuecard')
  .description('Administer Cuecard: a running local stand or, with the URL of a Neon database, a deployment on AWS.')
  .option('--json', 'print one line of JSON; lists as {"data": [...]}')
  .addHelpText('after', `\n${environmentHelp}`)
for (const command of [
  organizationCommand(),
  agentCommand(),
  keyCommand(),
  documentCommand(),
  callCommand(),
  queueCommand(),
  healthCommand(),
])
  program.addCommand(command)
for (const command of [program, ...program.commands, ...program.commands.flatMap((command) => command.commands)])
  command
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(`${onOneLine(text)}\n`) })

try {
  await program.parseAsync()
} catch (error) {
  console.error(`error: ${onOneLine(messageOf(error))}`)
  process.exitCode = 1
}

function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return error instanceof Unavailable
    ? `${message}: ${cause instanceof Error ? cause.message : String(cause)}`
    : message
}
