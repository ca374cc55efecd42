import { runCommand } from './program.ts'
import { ownTerminal } from './terminal.ts'

process.exitCode = await runCommand(process.argv.slice(2), ownTerminal())
