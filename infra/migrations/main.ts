import { parseArgs } from 'node:util'
import { messageOf } from '../error-message.ts'
import { migrateAt } from './migrate.ts'

const help = `Usage: npm run migrate

Brings a database to the newest schema, and first prints its name and host. (npm start migrates its own.)

  --help

Environment:
  DATABASE_URL    URL of the database's owner, on its direct host`

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) console.log(help)
  else await run(process.env.DATABASE_URL?.trim())
} catch (error) {
  console.error(`Migration failed: ${messageOf(error)}`)
  process.exitCode = 1
}

async function run(connectionString: string | undefined): Promise<void> {
  if (!connectionString) throw new Error('DATABASE_URL is not set: set it to the URL of the owner')
  const { host, pathname } = URL.parse(connectionString) ?? {}
  console.log(`Migrating ${host ? `${pathname?.slice(1)} at ${host}` : 'the database of DATABASE_URL'}`)
  const applied = await migrateAt(connectionString)
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
}
