import { CommanderError } from 'commander'
import { Unavailable } from '../../shared/unavailable.ts'
import { addAuditCommands } from './audit-list.ts'
import { addCallCommands } from './calls.ts'
import { environmentHelp } from './connection.ts'
import { addDocumentCommands } from './documents.ts'
import { addErasuresCommands } from './erasure/commands.ts'
import { addHealthCommand, addQueueCommands } from './health.ts'
import { onOneLine } from './print.ts'
import { addQuestionCommands } from './questions/commands.ts'
import { addAgentCommands, addKeyCommands, addOrganizationCommands } from './tenant-commands.ts'
import { Program, type Terminal } from './terminal.ts'

/** Runs one command. @param args what follows `npx cuecard` @returns the exit code */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal)
  try {
    await program.parseAsync(args, { from: 'user' })
    return program.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    program.fail(onOneLine(messageOf(error)))
    return 1
  }
}

function createProgram(terminal: Terminal): Program {
  const program = new Program('npx cuecard', terminal)
  const { stdout, stderr } = terminal
  program
    .description('Administer Cuecard: a running local stand or, with the URL of a Neon database, a deployment on AWS.')
    .option('--json', 'print one line of JSON; lists as {"data": [...]}')
    .option('--as <person>', 'who you are, for the record of operators’ actions (default: your login on this machine)')
    .addHelpText('after', `\n${environmentHelp}`)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(`${onOneLine(text)}\n`),
    })
  addOrganizationCommands(program)
  addAgentCommands(program)
  addKeyCommands(program)
  addDocumentCommands(program)
  addCallCommands(program)
  addQuestionCommands(program)
  addQueueCommands(program)
  addErasuresCommands(program)
  addAuditCommands(program)
  addHealthCommand(program)
  return program
}

function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return error instanceof Unavailable
    ? `${message}: ${cause instanceof Error ? cause.message : String(cause)}`
    : message
}
