import { setTimeout as sleep } from 'node:timers/promises'
import { config } from '../../shared/config.ts'
import { Database } from '../../shared/database/database.ts'
import { log } from '../../shared/log.ts'
import { secret } from '../../shared/secrets.ts'
import { checkLogins, makeMissingLogins } from './logins.ts'
import { migrateAt } from './migrate.ts'

const { DATABASE_SECRET, DATABASE_URL, DATABASE_ENDPOINT: endpoint, LOGIN_SECRETS } = config()

const context = {
  database: (url: string) => new Database({ url: () => url, endpoint, timeoutSeconds: 30 }),
  pause: sleep,
}

/** Migrates, and makes the logins that are missing. With `check` it only looks: @returns what it found of the owner and the logins */
export async function handler(event?: { check?: true }) {
  const ownerUrl = await secret({ value: DATABASE_URL, id: DATABASE_SECRET })()
  if (event?.check) return { findings: await checkLogins(context, ownerUrl, LOGIN_SECRETS) }
  const applied = await migrateAt(ownerUrl)
  const made = await makeMissingLogins(context, ownerUrl, LOGIN_SECRETS)
  log.info('migrated', { applied, made })
  return { applied, made }
}
