import { resolve } from 'node:path'
import { useEndpoint } from '../../shared/database.ts'
import { isNeon } from '../admin/connection.ts'
import { openDatabase } from '../local/database.ts'
import { migrate } from './migrate.ts'

// npm run migrate: brings the database of DATABASE_URL, or else the embedded one in DATA_DIR, to the newest schema. Neon is
// spoken to as by the Lambda of a deploy; any other PostgreSQL server through the stand's endpoint.
const { DATABASE_URL, DATABASE_ENDPOINT, DATA_DIR = '.local' } = process.env

try {
  const applied = await run()
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
} catch (error) {
  console.error(`Cannot migrate: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

async function run(): Promise<string[]> {
  if (DATABASE_ENDPOINT) useEndpoint(DATABASE_ENDPOINT)
  if (DATABASE_URL && (DATABASE_ENDPOINT || isNeon(DATABASE_URL))) return await migrate(DATABASE_URL)
  const database = await openDatabase(DATABASE_URL ? { url: DATABASE_URL } : { dataDir: resolve(DATA_DIR) })
  try {
    useEndpoint(database.endpoint)
    return await migrate(database.url)
  } finally {
    await database.close()
  }
}
