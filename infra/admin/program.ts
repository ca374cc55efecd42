import { addQuestionCommands } from '../client/questions/commands.ts'
import { addSyncCommand } from '../client/sync/command.ts'
import { Program, type Terminal } from '../command-line/terminal.ts'
import { addReplicaCommand } from '../library/replica/command.ts'
import { addAuditCommands } from './audit-list.ts'
import { addCallCommands } from './calls.ts'
import { environmentHelp } from './connection.ts'
import { addDocumentCommands } from './documents.ts'
import { addErasuresCommands } from './erasure-commands.ts'
import { addHealthCommand, addQueueCommands } from './health.ts'
import { addAgentCommands, addKeyCommands, addOrganizationCommands } from './organization-commands.ts'
import { addPersonCommands } from './people.ts'

/** Runs one command. @param args the arguments after `npx cuecard` @returns the exit code */
export function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Program('npx cuecard', terminal)
  program
    .description('Administer Cuecard: a running local stand or, with the URL of a Neon database, a deployment on AWS.')
    .option('--json', 'print one line of JSON; lists as {"data": [...]}')
    .option('--as <person>', 'who you are, for the record of operators’ actions (default: your login on this machine)')
    .option('--other-database', 'change a database that is no stage’s, such as a branch')
    .addHelpText('after', `\n${environmentHelp}`)
  addOrganizationCommands(program)
  addAgentCommands(program)
  addKeyCommands(program)
  addPersonCommands(program)
  addDocumentCommands(program)
  addCallCommands(program)
  addQuestionCommands(program)
  addSyncCommand(program)
  addReplicaCommand(program)
  addQueueCommands(program)
  addErasuresCommands(program)
  addAuditCommands(program)
  addHealthCommand(program)
  return program.run(args)
}
