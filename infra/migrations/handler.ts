import type { Context } from 'aws-lambda'
import { type ClientConfig, Pool } from 'pg'
import { config } from '../../shared/config.ts'
import { log } from '../../shared/log.ts'
import { secret } from '../../shared/secrets.ts'
import { backfill } from './backfill.ts'
import { backfills } from './backfills.ts'
import { migrate } from './migrate.ts'

const { DATABASE_SECRET_ARN, DATABASE_URL } = config()

/** As in the local database: migrations and backfills get every value as Postgres writes it. */
const asText = { getTypeParser: () => (value: string) => value } as ClientConfig['types']

/** Of the time-out, left for a last batch and its retries. */
const marginMilliseconds = 120_000

/** A deploy waits for the migrations. What a backfill does not finish in one run, the next scheduled one continues. */
export async function handler(
  event: { backfill?: boolean } | undefined,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) {
  if (event?.backfill && backfills.length === 0) return { applied: [], backfilled: [] }
  const ownerUrl = secret({ value: DATABASE_URL, arn: DATABASE_SECRET_ARN })
  const pool = new Pool({ connectionString: await ownerUrl(), max: 1, types: asText })
  // A lost connection fails the statement under way, or is replaced.
  pool.on('error', () => {})
  try {
    const applied = await migrate(pool)
    log.info('migrated', { applied })
    if (!event?.backfill) return { applied }
    const signal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - marginMilliseconds))
    const onProgress = (progress: object) => log.info('backfill', { ...progress })
    return { applied, backfilled: await backfill(pool, backfills, { signal, onProgress }) }
  } finally {
    await pool.end()
  }
}
