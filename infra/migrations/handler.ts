import { Pool } from 'pg'
import { config } from '../../shared/config.ts'
import { log } from '../../shared/log.ts'
import { secret } from '../../shared/secrets.ts'
import { migrate } from './migrate.ts'

const { DATABASE_SECRET_ARN, DATABASE_URL } = config()
const ownerUrl = secret({ value: DATABASE_URL, arn: DATABASE_SECRET_ARN })

export async function handler(): Promise<{ applied: string[] }> {
  const pool = new Pool({ connectionString: await ownerUrl(), max: 1 })
  try {
    const applied = await migrate(pool)
    log.info('migrated', { applied })
    return { applied }
  } finally {
    await pool.end()
  }
}
