import { resolve } from 'node:path'
import { Database } from '../../shared/database/database.ts'
import { stagesByHost, stagesDirectory } from '../aws/stage-file.ts'
import { CommandError } from '../command-line/command-error.ts'
import type { Program } from '../command-line/terminal.ts'
import { findStand } from '../data-directory/address.ts'
import { type NeonHost, neonHostOf } from '../neon-host.ts'
import { urlOfRole } from '../postgres-url.ts'
import type { Queues, QueueUrls } from './queues.ts'

export interface Services {
  target: string
  /** The host of a database that isn't a local stand's. */
  hostname?: string
  /** Which of Neon's two hosts it is; undefined for other databases. */
  host?: NeonHost | undefined
  db: Database
  /** Opens the queues on demand, because loading the AWS SDK takes longer than most commands. */
  queues: () => Promise<Queues>
}

export const environmentHelp = `Environment:
  DATABASE_URL        URL of a Neon database (*.neon.tech), with an operator's login, or of any other if DATABASE_ENDPOINT
                      is set to an endpoint that serves it over Neon's protocol. Optional: QUEUE_URL,
                      DEAD_LETTER_QUEUE_URL, and the same with EXTRACTION_ and CRAWLER_ before, with AWS credentials for
                      those queues.
  STAGES_DIRECTORY    Folder of the stages' files, which name the databases' hosts (default infra/aws/stages).
  DATA_DIR            Otherwise: data directory of a running local stand (default .local). DATABASE_URL must then be
                      unset, or the URL of the PostgreSQL server that the stand was started with.
  BASE_URL, API_KEY   The API's address and a key for it. The commands of questions, sync and replica need only these.`

/** @throws CommandError if the environment selects no running system, or if DATABASE_URL isn't the stand's */
export async function connect(env: NodeJS.ProcessEnv): Promise<Services> {
  const url = env.DATABASE_URL
  const endpoint = env.DATABASE_ENDPOINT || undefined
  const hostname = url && URL.parse(url)?.hostname
  if (hostname && (endpoint || neonHostOf(url)))
    return { target: hostname, hostname, host: neonHostOf(url), db: database(url, endpoint), queues: open(env) }
  const dataDir = resolve(env.DATA_DIR || '.local')
  const stand = await findStand(dataDir)
  if (!stand)
    throw new CommandError(
      `no local stand is running in ${dataDir}: run npm start, or set DATABASE_URL to the URL of a Neon database`,
    )
  if (url && url !== stand.server_url)
    throw new CommandError(
      `DATABASE_URL is neither Neon's nor that of the stand in ${dataDir}: unset it to work on the stand, or set DATABASE_ENDPOINT too`,
    )
  return {
    target: `the local stand in ${dataDir}`,
    db: database(urlOfRole(stand.database_url, 'cuecard_operator'), stand.database_endpoint),
    queues: open(stand.queues, stand.sqs_endpoint),
  }
}

/**
 * Prints the stage whose database a command is about to change. @throws CommandError for a host that no stage's file names, such as that of
 * the database before a restore
 */
export function requireStage({ hostname }: Services, program: Program): void {
  const { otherDatabase } = program.opts<{ otherDatabase?: true }>()
  const stages = stagesByHost(program.terminal.env.STAGES_DIRECTORY || stagesDirectory)
  if (hostname === undefined || stages.size === 0 || otherDatabase) return
  const stage = stages.get(hostname.replace('-pooler.', '.'))
  const known = [...stages].map(([host, name]) => `${name} is at ${host}`).join(', ')
  if (!stage)
    throw new CommandError(
      `${hostname} is no stage’s database: ${known}. Pull infra/aws/stages, use your newest OPERATOR_URL, or pass --other-database`,
    )
  program.warn(`${stage}: ${hostname}`)
}

function open(urls: QueueUrls, endpoint?: string) {
  return async () => (await import('./queues.ts')).openQueues(urls, endpoint)
}

function database(url: string, endpoint: string | undefined): Database {
  return new Database({ url: () => url, endpoint, timeoutSeconds: 60 })
}
