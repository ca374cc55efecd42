import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { configFaults } from '../../shared/config.ts'
import { holderOf } from '../data-directory/lock.ts'
import { messageOf } from '../error-message.ts'
import { isPostgresUrl } from '../postgres-url.ts'
import { parseOrigins } from './gateway/cors.ts'

export interface Settings {
  port: number
  /** An absolute path to an existing, writable directory. */
  dataDir: string
  databaseUrl: string | undefined
  hasSamples: boolean
  corsOrigins: string[]
}

/** The settings' faults, a line each, with advice. */
export class InvalidSettings extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

export const help = `Usage: npm start -- [options]

Runs Cuecard on this machine, on loopback: the API, its background work, and a database unless DATABASE_URL names one.

Options:
  --no-samples   do not store the sample documents, now or on later starts in this data directory
  --help         show this

Settings, as environment variables:
  PORT                       port of the API (default 8787; 0 for any free one)
  DATA_DIR                   directory of the data, files included, and of \`env\` with address and key (default .local)
  DATABASE_URL               postgres:// URL of a server with pgvector, instead of the embedded database
  EMBEDDING_BASE_URL         OpenAI-compatible provider, such as https://api.openai.com/v1 (default: none, search
                             then finds words and, in English, meaning)
  EMBEDDING_MODEL            its model (default text-embedding-3-small); without a provider encoder (default), or
                             lexical, which finds words only
  EMBEDDING_API_KEY          its key, if it needs one
  EMBEDDING_QUERY_PREFIX     text that the model needs before a question, such as 'query: ' (default: none)
  EMBEDDING_DOCUMENT_PREFIX  text that it needs before a passage (default: none)
  EMBEDDING_CONCURRENCY      maximum calls to it at a time (default 4)
  EMBEDDING_TIMEOUT_SECONDS  maximum time of a call (default 20)
  CHUNK_TOKENS               maximum size of a chunk (default 400)
  CHUNK_OVERLAP_TOKENS       maximum that a chunk repeats of the previous one (default 60)
  ORIGIN                     address to which mails and redirects lead, such as that of a tunnel (default: this machine's)
  CORS_ORIGINS               origins whose pages may call the API, comma-separated (default: none)
  MAIL_FROM                  sender of the dashboard's mails, which are printed here
                             (default Cuecard <cuecard@localhost>)
  KEY_SIGN_IN                false lets nobody sign in to the dashboard with an API key (default true)
  OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME
                             an OpenID Connect provider with whose accounts people sign in, and its name on the
                             button (default: none)
  ALLOW_LOOPBACK             true lets webhooks and sources use addresses of this machine, such as
                             http://127.0.0.1:9000 (default false)
  POWERTOOLS_LOG_LEVEL       INFO logs every request and document as a line of JSON (default: only problems, in words)

Example: PORT=8788 DATA_DIR=.local/second npm start`

/** Checks every setting before anything starts. @returns undefined if help was asked for @throws InvalidSettings with all faults */
export async function readSettings(args: string[], env: NodeJS.ProcessEnv): Promise<Settings | undefined> {
  const faults: string[] = []
  const attempt = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      faults.push(messageOf(error))
    }
  }
  const options = await attempt(() => readOptions(args))
  if (options?.help) return undefined
  if (env.npm_config_samples === '') faults.push('npm took --no-samples itself: use npm start -- --no-samples')
  const port = await attempt(() => readPort(env.PORT || '8787'))
  const corsOrigins = await attempt(() => parseOrigins(env.CORS_ORIGINS ?? ''))
  const dataDir = resolve(env.DATA_DIR || '.local')
  const databaseUrl = env.DATABASE_URL || undefined
  if (databaseUrl && !isPostgresUrl(databaseUrl))
    faults.push('DATABASE_URL must be a URL such as postgres://user:password@host:5432/database')
  faults.push(...configFaults(env))
  await attempt(() => checkHolder(dataDir))
  if (port !== undefined) await attempt(() => checkPort(port))
  // Last, because a start that is refused leaves nothing behind, and may not remove what another has begun to use.
  if (faults.length === 0) await attempt(() => prepareDirectory(dataDir))
  if (port !== undefined && corsOrigins && faults.length === 0)
    return { port, dataDir, databaseUrl, hasSamples: !options?.['no-samples'], corsOrigins }
  throw new InvalidSettings(faults)
}

function readOptions(args: string[]) {
  try {
    return parseArgs({ args, options: { 'no-samples': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
      .values
  } catch {
    throw new Error(`unknown option ${args.join(' ')}: see npm start -- --help`)
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  throw new Error(`PORT must be a whole number from 0 to 65535, not ${text}`)
}

async function checkHolder(directory: string): Promise<void> {
  const holder = await holderOf(directory)
  if (holder !== undefined)
    throw new Error(
      `${directory} is in use by process ${holder}, another Cuecard: use that one, stop it (kill ${holder}), or start beside it with another directory and port, such as DATA_DIR=.local/second PORT=8788 npm start`,
    )
}

async function prepareDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory)
    const probe = join(directory, `probe.${process.pid}`)
    await writeFile(probe, '')
    await rm(probe)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`DATA_DIR must be a directory that can be written, not ${directory} (${code ?? message})`)
  }
}

/** `mkdir` with `recursive` would never end below /proc. */
async function makeDirectory(directory: string, hasParent = false): Promise<void> {
  const parent = dirname(directory)
  try {
    await mkdir(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || hasParent || parent === directory) throw error
    await makeDirectory(parent)
    await makeDirectory(directory, true)
  }
}

async function checkPort(port: number) {
  const server = createServer()
  const error = await new Promise<NodeJS.ErrnoException | undefined>((settle) =>
    server.once('error', settle).listen(port, '127.0.0.1', () => settle(undefined)),
  )
  if (server.listening) await new Promise((closed) => server.close(closed))
  if (!error) return
  const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code})`
  throw new Error(`port ${port} ${why}: start on another, such as PORT=${(port % 65535) + 1} npm start`)
}
