import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../admin/program.ts'
import type { LocalDatabase } from '../../local/database/database.ts'
import { urlOfRole } from '../../postgres-url.ts'

/** Runs `npx cuecard` on a database, as an operator. @returns what it prints @throws Error when it fails */
export async function cuecard({ url, endpoint }: LocalDatabase, args: string[], stdin = ''): Promise<string> {
  const [stdout, stderr] = [collector(), collector()]
  const code = await runCommand(args, {
    env: { DATABASE_URL: urlOfRole(url, 'cuecard_operator'), DATABASE_ENDPOINT: endpoint },
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    person: 'restore drill',
    signal: new AbortController().signal,
  })
  if (code !== 0) throw new Error(`npx cuecard ${args.join(' ')}: ${stderr.text()}`)
  return stdout.text()
}

function collector() {
  const written: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      written.push(chunk)
      done()
    },
  })
  return Object.assign(stream, { text: () => Buffer.concat(written).toString() })
}
