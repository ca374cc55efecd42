import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Command } from 'commander'
import { messageOf } from '../local/error-message.ts'
import { neonHostOf } from '../neon-host.ts'
import { reportBackup } from './completion.ts'
import { createBackup } from './create.ts'
import { backupsIn, readManifest } from './manifest.ts'
import { restoreBackup } from './restore.ts'
import { openStore } from './store.ts'

const help = `Environment:
  DATABASE_URL       URL of the database's owner, on its direct host; of an empty database for restore
  BACKUP_RECIPIENT   public key that backups are encrypted for (age1…)
  BACKUP_IDENTITY    secret key that opens them (AGE-SECRET-KEY-…): only where one is restored
  PG_BIN             directory of pg_dump and pg_restore, if they are not on the path`

const program = new Command('npm run backup --').description('Back up a database, encrypted, and restore it.')
program.addHelpText('after', `\n${help}`)

program
  .command('key')
  .description('print a new pair of keys')
  .action(async () => {
    const identity = await generateX25519Identity()
    console.log(`BACKUP_IDENTITY=${identity}\nBACKUP_RECIPIENT=${await identityToRecipient(identity)}`)
  })
program
  .command('create')
  .description('dump the database to s3://BUCKET/PREFIX or a directory')
  .argument('<to>')
  .option('--stage <stage>', 'report the complete backup to CloudWatch, whose alarm misses it')
  .action(async (to: string, { stage }: { stage?: string }) => {
    if (stage !== undefined) await requireStage(stage)
    const recipient = setting('BACKUP_RECIPIENT')
    const { name, manifest } = await createBackup({ url: directUrl(), recipient, store: openStore(to) })
    const rows = Object.values(manifest.tables).reduce((sum, table) => sum + Number(table.rows), 0)
    console.log(`${name}: ${rows} rows, ${(manifest.dump.bytes / 1e6).toFixed(1)} MB, ${manifest.seconds} s`)
    if (stage) await reportBackup(stage)
  })
program
  .command('list')
  .description('list complete backups, oldest first')
  .argument('<from>')
  .action(async (from: string) => {
    const store = openStore(from)
    for (const name of await backupsIn(store)) {
      const { dump, migrations } = await readManifest(store, name)
      console.log(`${name}  ${(dump.bytes / 1e6).toFixed(1).padStart(9)} MB  ${migrations.at(-1)}`)
    }
  })
program
  .command('restore')
  .description('restore a backup, the newest by default, into an empty database, and compare every row')
  .argument('<from>')
  .argument('[name]')
  .action(async (from: string, name: string | undefined) => {
    const onStep = (step: string, seconds: number) => console.log(`${seconds.toFixed(1).padStart(8)} s  ${step}`)
    const identity = setting('BACKUP_IDENTITY')
    const restored = await restoreBackup({ store: openStore(from), name, identity, url: directUrl(), onStep })
    console.log(
      `Restored ${restored.name}. Next: npm run migrate, a replay of the erasures, then the logins (see the runbook).`,
    )
  })

try {
  await program.parseAsync()
} catch (error) {
  console.error(`error: ${messageOf(error)}`)
  process.exitCode = 1
}

/** Before the dump: the metric of a stage that is not there would be missed only a day later. */
async function requireStage(stage: string): Promise<void> {
  const { findStage, stages } = await import('../aws/stages.ts')
  if (!findStage(stage)) throw new Error(`--stage must be one of ${Object.keys(stages).join(', ')}, not ${stage}`)
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
