import type { Command } from 'commander'
import { type Output, print } from './print.ts'
import { type Program, programOf } from './terminal.ts'

/** A commander action that opens what its work needs from the environment, and prints the output. @param columns those of the table without --json; all by default */
export function perform<Opened extends object, Args extends unknown[]>(
  open: (env: NodeJS.ProcessEnv) => Opened | Promise<Opened>,
  work: (context: Opened & { program: Program }, command: Command, args: Args) => Promise<Output | undefined>,
  columns?: readonly string[],
) {
  return async (...args: [...Args, Command]) => {
    const command = args.pop() as Command
    const program = programOf(command)
    const opened = await open(program.terminal.env)
    const output = await work({ ...opened, program }, command, args as unknown as Args)
    if (output) print(program, output, { asJson: command.optsWithGlobals().json === true, columns })
  }
}
