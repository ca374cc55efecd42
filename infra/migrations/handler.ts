import { Pool } from 'pg'
import { config } from '../../shared/config.ts'
import { log } from '../../shared/log.ts'
import { secret } from '../../shared/secrets.ts'
import { migrate } from './migrate.ts'

const { DATABASE_SECRET_ARN, DATABASE_URL } = config()

/** A deploy waits for it. */
export async function handler() {
  const ownerUrl = secret({ value: DATABASE_URL, arn: DATABASE_SECRET_ARN })
  const pool = new Pool({ connectionString: await ownerUrl(), max: 1 })
  // A lost connection fails the statement under way, or is replaced.
  pool.on('error', () => {})
  try {
    const applied = await migrate(pool)
    log.info('migrated', { applied })
    return { applied }
  } finally {
    await pool.end()
  }
}
