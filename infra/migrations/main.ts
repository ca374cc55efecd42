import { resolve } from 'node:path'
import { openDatabase } from '../local/database/database.ts'
import { migrate } from './migrate.ts'

const { DATABASE_URL, DATA_DIR = '.local' } = process.env

try {
  const database = await openDatabase(DATABASE_URL ? { url: DATABASE_URL } : { dataDir: resolve(DATA_DIR) })
  try {
    const applied = await migrate(database.pool)
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
  } finally {
    await database.close()
  }
} catch (error) {
  console.error(`Migration failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
