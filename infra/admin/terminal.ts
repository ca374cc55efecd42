import type { Writable } from 'node:stream'
import { Command } from 'commander'

/** Where a command runs: what it reads, and where it writes. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: Writable
  stderr: Writable
  /** Who is at it, as far as the machine knows. */
  person: string
  /** Aborted when the person wants to stop. */
  signal: AbortSignal
}

/** The root of the commands. */
export class Program extends Command {
  readonly terminal: Terminal
  exitCode = 0

  constructor(name: string, terminal: Terminal) {
    super(name)
    this.terminal = terminal
  }

  /** A line for a person, beside what a program reads. */
  warn(line: string): void {
    this.terminal.stderr.write(`${line}\n`)
  }

  /** A line that says what could not be done, while the rest was. */
  fail(line: string): void {
    this.warn(`error: ${line}`)
    this.exitCode = 1
  }
}

export function programOf(command: Command): Program {
  let root = command
  while (root.parent) root = root.parent
  if (!(root instanceof Program)) throw new Error(`${root.name()} has no terminal`)
  return root
}
