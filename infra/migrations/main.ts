import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../local/database/database.ts'
import { messageOf } from '../local/error-message.ts'
import { backfill, type Progress } from './backfill.ts'
import { backfills } from './backfills.ts'
import { migrate } from './migrate.ts'

const help = `Usage: npm run migrate -- [--backfill]

Brings a database to the newest schema, and says first which one.

  --backfill      convert the rows that are there, too
  --help

Environment:
  DATABASE_URL    URL of the database's owner, on its direct host; without it the embedded database of DATA_DIR
  DATA_DIR        directory of npm start (default .local)`

try {
  const { values } = parseArgs({ options: { backfill: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help) console.log(help)
  else await run({ isBackfilling: values.backfill ?? false })
} catch (error) {
  console.error(`Migration failed: ${messageOf(error)}`)
  process.exitCode = 1
}

async function run({ isBackfilling }: { isBackfilling: boolean }) {
  const { target, ...options } = targetOf(process.env)
  console.log(`Migrating ${target}`)
  const database = await openDatabase(options)
  try {
    const applied = await migrate(database.pool)
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
    if (isBackfilling) await backfill(database.pool, backfills, { signal: interrupted(), onProgress: print })
  } finally {
    await database.close()
  }
}

/** An empty URL is that of a variable which is not set in this shell: nobody means the embedded database by it. */
function targetOf({ DATABASE_URL: url, DATA_DIR }: NodeJS.ProcessEnv) {
  if (url?.trim() === '') throw new Error('DATABASE_URL is empty: set it to the URL of the owner, or unset it')
  if (url === undefined) {
    const dataDir = resolve(DATA_DIR || '.local')
    return { target: `the embedded database in ${dataDir}`, dataDir }
  }
  const { host, pathname } = URL.parse(url) ?? {}
  return { target: host ? `${pathname?.slice(1)} at ${host}` : 'the database of DATABASE_URL', url }
}

function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

function print({ name, converted, isComplete }: Progress) {
  console.log(`${name}: ${converted} rows converted${isComplete ? ', none left' : ''}`)
}
