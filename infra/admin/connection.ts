import { resolve } from 'node:path'
import { Database } from '../../shared/database/database.ts'
import { findStand } from '../local/address.ts'
import type { Queues } from './queues.ts'
import { CommandError } from './refusal.ts'

/** What an operator's command works on. */
export interface Services {
  /** In words, for a person to check: `the local stand in …` or the database's host. */
  target: string
  db: Database
  /** Opens the queues when first needed: the AWS SDK takes longer to load than most commands to run. */
  queues: () => Promise<Queues>
}

export interface QueueAddresses {
  /** Origin of a local SQS; undefined is AWS, with the environment's region and credentials. */
  endpoint?: string | undefined
  queueUrl?: string | undefined
  deadLetterQueueUrl?: string | undefined
}

export const whereItWorks = `Where it works:
  DATABASE_URL        if its host is Neon's (*.neon.tech), or if DATABASE_ENDPOINT names what speaks Neon's protocol
                      for it; with QUEUE_URL and DEAD_LETTER_QUEUE_URL, both optional, and AWS credentials for those
  DATA_DIR            else the local stand that runs there (default .local). DATABASE_URL may be set then too, to the
                      PostgreSQL server that the stand was started on.`

/**
 * Finds the system to work on, by the rule of `whereItWorks`.
 * @throws CommandError when the environment names none and no local stand is running
 */
export async function connect(env: NodeJS.ProcessEnv): Promise<Services> {
  const url = env.DATABASE_URL
  const endpoint = env.DATABASE_ENDPOINT || undefined
  if (url && (endpoint || isNeon(url)))
    return {
      target: URL.parse(url)?.hostname ?? 'DATABASE_URL',
      db: database(url, endpoint),
      queues: open({ queueUrl: env.QUEUE_URL, deadLetterQueueUrl: env.DEAD_LETTER_QUEUE_URL }),
    }
  const dataDir = resolve(env.DATA_DIR || '.local')
  const stand = await findStand(dataDir)
  if (!stand)
    throw new CommandError(
      `no local stand is running in ${dataDir}: run npm start, or set DATABASE_URL to the URL of a Neon database`,
    )
  return {
    target: `the local stand in ${dataDir}`,
    db: database(stand.database_url, stand.database_endpoint),
    queues: open({
      endpoint: stand.sqs_endpoint,
      queueUrl: stand.queue_url,
      deadLetterQueueUrl: stand.dead_letter_queue_url,
    }),
  }
}

/** Whether the connection string leads to Neon itself, and not to a PostgreSQL server. */
export function isNeon(url: string): boolean {
  return URL.parse(url)?.hostname.endsWith('.neon.tech') ?? false
}

function open(addresses: QueueAddresses) {
  return async () => (await import('./queues.ts')).openQueues(addresses)
}

const timeoutSeconds = 60

function database(url: string, endpoint: string | undefined): Database {
  return new Database({ url: () => url, endpoint, timeoutSeconds })
}
