import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../../infra/admin/program.ts'
import type { Terminal } from '../../../infra/command-line/terminal.ts'
import { urlOfRole } from '../../../infra/postgres-url.ts'

export interface Finished {
  code: number
  stdout: string
  stderr: string
}

interface Circumstances {
  stdin?: string
  /** The database of the stand by default. */
  env?: Record<string, string>
  signal?: AbortSignal
  /** Replaces the stream that collects the output. */
  stdout?: Writable
  /** Called with each line for a person. */
  onLine?: (line: string) => void
}

/** `npx cuecard`, in this process, under the operator's role on the database of the stand that runs in it. */
export async function cuecard(args: string[], circumstances: Circumstances = {}): Promise<Finished> {
  const { stdin = '', env = standEnvironment(), signal = new AbortController().signal, onLine } = circumstances
  const stdout = collector()
  const stderr = collector(onLine)
  const terminal: Terminal = {
    // A team's own stages are no stages of a test.
    env: { STAGES_DIRECTORY: '/nonexistent', ...env },
    stdin: Readable.from([stdin]),
    stdout: circumstances.stdout ?? stdout,
    stderr,
    person: 'ada@lighthouse',
    signal,
  }
  const code = await runCommand(args, terminal)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** Runs a command with --json. @returns its output, once it has succeeded */
export async function cuecardJson(...args: string[]) {
  const { code, stdout, stderr } = await cuecard([...args, '--json'])
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

function standEnvironment(): Record<string, string> {
  const { DATABASE_URL = '', DATABASE_ENDPOINT = '' } = process.env
  return { DATABASE_URL: urlOfRole(DATABASE_URL, 'cuecard_operator'), DATABASE_ENDPOINT }
}

export function collector(onText?: (text: string) => void): Writable & { text(): string } {
  const written: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      written.push(chunk.toString())
      onText?.(chunk.toString())
      done()
    },
  })
  return Object.assign(stream, { text: () => written.join('') })
}
