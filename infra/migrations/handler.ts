import { config } from '../../shared/config.ts'
import { log } from '../../shared/log.ts'
import { secret } from '../../shared/secrets.ts'
import { migrateAt } from './migrate.ts'

const { DATABASE_SECRET, DATABASE_URL } = config()

export async function handler() {
  const ownerUrl = secret({ value: DATABASE_URL, id: DATABASE_SECRET })
  const applied = await migrateAt(await ownerUrl())
  log.info('migrated', { applied })
  return { applied }
}
