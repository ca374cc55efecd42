import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Command } from 'commander'
import { subcommand } from '../command-line/options.ts'
import { messageOf } from '../error-message.ts'
import { withClient } from '../postgres-client.ts'
import { listBackups } from './backup.ts'
import { openStore } from './store.ts'

const program = new Command('npm run backup --').description('The keys of backups, and the drill.')
program.addHelpText(
  'after',
  `
Addresses are s3://BUCKET/PREFIX or a directory.

Environment:
  DATABASE_URL       for drill: URL of a server with pgvector, where databases may be created
  BACKUP_IDENTITY    for drill --from: secret key that opens backups (AGE-SECRET-KEY-…)
  PG_BIN             directory of pg_dump and pg_restore, if they are not on the path`,
)

subcommand(program, 'key', 'print a new pair of keys').action(async () => {
  const identity = await generateX25519Identity()
  console.log(`BACKUP_IDENTITY=${identity}\nBACKUP_RECIPIENT=${await identityToRecipient(identity)}`)
})
subcommand(program, 'list <from>', 'list backups, oldest first').action(async (from: string) => {
  for (const name of await listBackups(openStore(from))) console.log(name)
})
subcommand(program, 'drill', 'prove that a restore works, on temporary databases of the server')
  .option('--from <address>', 'restore the newest backup there instead of samples')
  .action(async ({ from }: { from?: string }) => {
    const { drill, restoreDrill } = await import('./drill/drill.ts')
    const url = process.env.DATABASE_URL?.trim()
    if (!url || !(await isListening(url)))
      throw new Error(
        `${url ? 'no server answers at the address in DATABASE_URL' : 'DATABASE_URL is not set'}: start a PostgreSQL server with pgvector, such as docker run -e POSTGRES_PASSWORD=postgres -p 5432:5432 pgvector/pgvector:pg17, and set DATABASE_URL=postgres://postgres:postgres@127.0.0.1:5432/postgres`,
      )
    if (!from) return await drill(url, report)
    const identity = setting('BACKUP_IDENTITY')
    const { drop } = await restoreDrill(url, openStore(from), identity, undefined, report)
    await drop()
  })

try {
  await program.parseAsync()
} catch (error) {
  console.error(`error: ${messageOf(error)}`)
  process.exitCode = 1
}

async function isListening(url: string): Promise<boolean> {
  return await withClient(url, () => Promise.resolve(true)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') return false
    throw error
  })
}

function report(line: string, seconds?: number): void {
  console.log(`${seconds === undefined ? ' '.repeat(10) : `${seconds.toFixed(1).padStart(8)} s`}  ${line}`)
}

function setting(name: string): string {
  const value = process.env[name]?.trim()
  if (!value) throw new Error(`${name} is not set`)
  return value
}
