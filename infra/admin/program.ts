import { type Command, CommanderError } from 'commander'
import { Unavailable } from '../../shared/unavailable.ts'
import { auditCommand } from './commands/audit.ts'
import { callCommand } from './commands/calls.ts'
import { documentCommand } from './commands/documents.ts'
import { erasuresCommand } from './commands/erasure.ts'
import { healthCommand, queueCommand } from './commands/operations.ts'
import { agentCommand, keyCommand, organizationCommand } from './commands/tenants.ts'
import { environmentHelp } from './connection.ts'
import { onOneLine } from './print.ts'
import { Program, type Terminal } from './terminal.ts'

/** Runs one command. @param args what follows `npx cuecard` @returns the exit code */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal)
  try {
    await program.parseAsync(args, { from: 'user' })
    return program.exitCode
  } catch (error) {
    // Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode
    program.fail(onOneLine(messageOf(error)))
    return 1
  }
}

function createProgram(terminal: Terminal): Program {
  const program = new Program('npx cuecard', terminal)
  program
    .description('Administer Cuecard: a running local stand or, with the URL of a Neon database, a deployment on AWS.')
    .option('--json', 'print one line of JSON; lists as {"data": [...]}')
    .option('--as <person>', 'who you are, for the record of operators’ actions (default: your login on this machine)')
    .addHelpText('after', `\n${environmentHelp}`)
  for (const command of [
    organizationCommand(),
    agentCommand(),
    keyCommand(),
    documentCommand(),
    callCommand(),
    queueCommand(),
    erasuresCommand(),
    auditCommand(),
    healthCommand(),
  ])
    program.addCommand(command)
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)])
    writeTo(command, terminal)
  return program
}

function writeTo(command: Command, { stdout, stderr }: Terminal): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(`${onOneLine(text)}\n`),
    })
}

function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return error instanceof Unavailable
    ? `${message}: ${cause instanceof Error ? cause.message : String(cause)}`
    : message
}
