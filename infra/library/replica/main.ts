#!/usr/bin/env node
import { ownTerminal, Program } from '../../command-line/terminal.ts'
import { addReplicaCommand } from './command.ts'

// The command line of the package, which has no other command.
const program = new Program('cuecard', ownTerminal())
addReplicaCommand(program)
process.exitCode = await program.run(process.argv.slice(2))
