import { config } from '../../shared/config.ts'
import { useEndpoint } from '../../shared/database.ts'
import { log } from '../../shared/log.ts'
import { secret } from '../../shared/secrets.ts'
import { migrate } from './migrate.ts'

const { DATABASE_ENDPOINT, DATABASE_SECRET_ARN, DATABASE_URL } = config()
if (DATABASE_ENDPOINT) useEndpoint(DATABASE_ENDPOINT)
const ownerUrl = secret({ value: DATABASE_URL, arn: DATABASE_SECRET_ARN })

/** The Lambda that a deploy runs before new code serves; its failure fails the deploy. */
export async function handler(): Promise<{ applied: string[] }> {
  const applied = await migrate(await ownerUrl())
  log.info('migrated', { applied })
  return { applied }
}
