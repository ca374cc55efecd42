import { hostname, userInfo } from 'node:os'
import type { Writable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import { onOneLine, sentenceOf } from './sentence.ts'

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
    const { stdout, stderr } = terminal
    this.exitOverride()
      .configureHelp({ showGlobalOptions: true })
      .configureOutput({
        writeOut: (text) => void stdout.write(text),
        writeErr: (text) => void stderr.write(text),
        outputError: (text, write) => write(`${onOneLine(text)}\n`),
      })
  }

  /** @param args the arguments after the program's name @returns the exit code */
  async run(args: readonly string[], explain: (error: unknown) => string = sentenceOf): Promise<number> {
    try {
      await this.parseAsync(args, { from: 'user' })
      return this.exitCode
    } catch (error) {
      if (error instanceof CommanderError) return error.exitCode
      this.fail(explain(error))
      return 1
    }
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

/** This process's terminal. */
export function ownTerminal(): Terminal {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // `| head` closes the pipe before everything is written.
    if (code !== 'EPIPE') console.error(`error: ${message}`)
    process.once('exit', () => {
      process.exitCode ||= 1
    })
  })
  return {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    person: `${userName()}@${hostname()}`,
    // A getter, so that Ctrl-C still ends commands that do not read it at once.
    get signal() {
      const controller = new AbortController()
      // Not `once`: npm also passes on a Ctrl-C that the terminal has delivered.
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort())
      return controller.signal
    },
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
