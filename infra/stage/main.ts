import { ownTerminal } from '../command-line/terminal.ts'
import { ownSurroundings } from './context.ts'
import { runStage } from './program.ts'

process.exitCode = await runStage(process.argv.slice(2), ownSurroundings(ownTerminal()))
