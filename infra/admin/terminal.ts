import type { Writable } from 'node:stream'
import { Command } from 'commander'

export interface Terminal {
  env: NodeJS.ProcessEnv
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: Writable
  stderr: Writable
  person: string
  signal: AbortSignal
}

export class Program extends Command {
  readonly terminal: Terminal
  exitCode = 0

  constructor(name: string, terminal: Terminal) {
    super(name)
    this.terminal = terminal
  }

  warn(line: string): void {
    this.terminal.stderr.write(`${line}\n`)
  }

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
