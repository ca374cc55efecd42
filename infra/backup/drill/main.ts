import { Command } from 'commander'
import { messageOf } from '../../error-message.ts'
import { openStore } from '../store.ts'
import { drill, restoreDrill } from './drill.ts'

const program = new Command('npm run restore-drill --')
  .description('Prove that a restore works, on databases that are made for it and dropped.')
  .option('--from <address>', 'restore the newest backup in s3://BUCKET/PREFIX or a directory, in place of samples')
  .addHelpText(
    'after',
    `
Environment:
  DATABASE_URL     URL of a server with pgvector on which databases may be made
  BACKUP_IDENTITY  with --from: the secret key (AGE-SECRET-KEY-…)
  PG_BIN           directory of pg_dump and pg_restore, if they are not on the path`,
  )
  .action(async ({ from }: { from?: string }) => {
    const { DATABASE_URL, BACKUP_IDENTITY } = process.env
    if (!DATABASE_URL) throw new Error('DATABASE_URL is not set')
    if (!from) return await drill(DATABASE_URL, report)
    if (!BACKUP_IDENTITY) throw new Error('BACKUP_IDENTITY is not set')
    const { drop } = await restoreDrill(DATABASE_URL, openStore(from), BACKUP_IDENTITY, undefined, report)
    await drop()
  })

try {
  await program.parseAsync()
} catch (error) {
  console.error(`error: ${messageOf(error)}`)
  process.exitCode = 1
}

function report(line: string, seconds?: number): void {
  console.log(`${seconds === undefined ? ' '.repeat(10) : `${seconds.toFixed(1).padStart(8)} s`}  ${line}`)
}
