import { resolve } from 'node:path'
import { openDatabase } from '../local/database/database.ts'
import { backfill, type Progress } from './backfill.ts'
import { backfills } from './backfills.ts'
import { migrate } from './migrate.ts'

const { DATABASE_URL, DATA_DIR = '.local' } = process.env
const isBackfilling = process.argv.includes('--backfill')

try {
  const database = await openDatabase(DATABASE_URL ? { url: DATABASE_URL } : { dataDir: resolve(DATA_DIR) })
  try {
    const applied = await migrate(database.pool)
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
    if (isBackfilling) await backfill(database.pool, backfills, { signal: interrupted(), onProgress: print })
  } finally {
    await database.close()
  }
} catch (error) {
  console.error(`Migration failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

function print({ name, converted, isComplete }: Progress) {
  console.log(`${name}: ${converted} rows converted${isComplete ? ', none left' : ''}`)
}
