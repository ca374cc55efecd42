import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Command } from 'commander'
import { subcommand } from '../admin/options.ts'
import { messageOf } from '../error-message.ts'
import { neonHostOf } from '../neon-host.ts'
import { withClient } from '../postgres-client.ts'
import { createBackup, listBackups, listErasures, restoreBackup } from './backup.ts'
import { reportBackup } from './completion.ts'
import { openStore } from './store.ts'

const program = new Command('npm run backup --').description('Back up a database, encrypted, and restore it.')
program.addHelpText(
  'after',
  `
Addresses are s3://BUCKET/PREFIX or a directory.

Environment:
  DATABASE_URL       URL of the database's owner, on its direct host; for restore, of an empty database;
                     for drill, of a server with pgvector on which databases may be made
  BACKUP_RECIPIENT   public key that backups are encrypted for (age1…)
  BACKUP_IDENTITY    secret key that opens them (AGE-SECRET-KEY-…): only for restore, and for drill --from
  PG_BIN             directory of pg_dump and pg_restore, if they are not on the path`,
)

subcommand(program, 'key', 'print a new pair of keys').action(async () => {
  const identity = await generateX25519Identity()
  console.log(`BACKUP_IDENTITY=${identity}\nBACKUP_RECIPIENT=${await identityToRecipient(identity)}`)
})
subcommand(program, 'create <to>', 'dump the database')
  .option('--stage <stage>', 'report the backup to CloudWatch, whose alarm expects one a day')
  .action(async (to: string, { stage }: { stage?: string }) => {
    if (stage !== undefined) await requireStage(stage)
    const { name, bytes } = await createBackup(openStore(to), directUrl(), setting('BACKUP_RECIPIENT'))
    console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB`)
    if (stage) await reportBackup(stage)
  })
subcommand(program, 'list <from>', 'list backups, oldest first').action(async (from: string) => {
  for (const name of await listBackups(openStore(from))) console.log(name)
})
subcommand(
  program,
  'erasures <from>',
  'print the erasures that any backup lists, for npx cuecard erasures replay',
).action(async (from: string) => console.log(JSON.stringify(await listErasures(openStore(from)))))
subcommand(program, 'restore <from> [name]', 'restore a backup, the newest by default, into an empty database').action(
  async (from: string, name: string | undefined) => {
    const restored = await restoreBackup(openStore(from), directUrl(), setting('BACKUP_IDENTITY'), name)
    console.log(
      `Restored ${restored}. Next: npm run migrate, replay the erasures, create the logins (see the runbook).`,
    )
  },
)
subcommand(program, 'drill', 'prove that a restore works, on databases that are made for it on the server and dropped')
  .option('--from <address>', 'restore the newest backup there, in place of samples')
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

async function requireStage(stage: string): Promise<void> {
  const { findStage, stages } = await import('../aws/stages.ts')
  if (!findStage(stage)) throw new Error(`--stage must be one of ${Object.keys(stages).join(', ')}, not ${stage}`)
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

function directUrl(): string {
  const url = setting('DATABASE_URL')
  if (neonHostOf(url) === 'pooled')
    throw new Error('DATABASE_URL names the pooled host: a backup needs a session of its own, on the direct host')
  return url
}
