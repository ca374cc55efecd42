import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCommand } from '../../admin/program.ts'
import type { LocalDatabase } from '../../local/database/database.ts'
import { urlOfRole } from '../../postgres-url.ts'

/** Runs `npx cuecard` on a database, as an operator. @returns what it prints @throws Error when it fails */
export async function cuecard({ url, endpoint }: LocalDatabase, args: string[], stdin = ''): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const code = await runCommand(args, {
    env: { DATABASE_URL: urlOfRole(url, 'cuecard_operator'), DATABASE_ENDPOINT: endpoint },
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    person: 'restore drill',
    signal: new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  const [output, errors] = await printed
  if (code !== 0) throw new Error(`npx cuecard ${args.join(' ')}: ${errors}`)
  return output
}
