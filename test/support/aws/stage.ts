import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { runCanary } from '../../../functions/canary/canary.ts'
import { readStageFile, writeStageFile } from '../../../infra/aws/stage-file.ts'
import { findStage, type SecretName, secretIdOf, secretNamesOf } from '../../../infra/aws/stages.ts'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import { invoke, type LambdaHandler } from '../../../infra/local/lambda.ts'
import { migrationNames } from '../../../infra/migrations/migrate.ts'
import { runStage } from '../../../infra/stage/program.ts'
import { type DatabaseUser, databaseUsers } from '../../../infra/wiring.ts'
import { useEndpoint } from '../../../shared/database/database.ts'
import { startNeonProxy } from '../database/neon-proxy.ts'
import { dropLogins, lockLogins } from '../database/server-logins.ts'
import { startKeyedProvider } from '../provider/keyed-provider.ts'
import { entryOf } from '../stand/entry.ts'
import type { TestStand } from '../stand/stand.ts'
import { collector, type Finished } from '../tools/command-line.ts'
import { startAwsServices } from './aws-services.ts'

interface TestDatabase {
  url: string
  endpoint: string
  pool: Pool
}

type StageTools = ReturnType<typeof useStageTools>

const ownerPassword = 'owner-S3cret-of-the-test'

/** `useStageTools` on the database of the stand. */
export function useStageOf(stand: Pick<TestStand, 'pool'>) {
  return useStageTools(() => ({
    url: process.env.DATABASE_URL!,
    endpoint: process.env.DATABASE_ENDPOINT!,
    pool: stand.pool,
  }))
}

/**
 * An account that CDK has prepared, a database behind a proxy that asks for passwords, a provider, and the commands of
 * `npm run stage` on them. After each test none of the secrets may be in anything that was printed.
 */
export function useStageTools(open: () => Promise<TestDatabase> | TestDatabase) {
  const { DATABASE_URL: server } = process.env
  let aws: Awaited<ReturnType<typeof startAwsServices>>
  let proxy: Awaited<ReturnType<typeof startNeonProxy>>
  let provider: Awaited<ReturnType<typeof startKeyedProvider>>
  let database: TestDatabase
  let unlock: () => Promise<void>
  let directory: string
  const printed: string[] = []
  const providerKey = 'sk-good-key-of-the-test'
  /** An action during CDK’s deploy of the system, beside making its stack. */
  let deployed: (args: readonly string[]) => unknown = () => {}
  let pause = (_milliseconds: number) => Promise.resolve()
  let isOnProxy = false

  beforeAll(async () => {
    database = await open()
    unlock = await lockLogins(server, database.pool)
    provider = await startKeyedProvider()
    provider.keys.add(providerKey)
    proxy = await startNeonProxy(database.endpoint, {
      password: ownerPassword,
      actual: new URL(database.url).password,
    })
  })
  beforeEach(async () => {
    aws = await startAwsServices()
    aws.stacks.set('CDKToolkit', { status: 'CREATE_COMPLETE' })
    directory = await mkdtemp(join(process.env.RUN_DIRECTORY!, 'stages-'))
    const env = {
      AWS_ENDPOINT_URL: aws.origin,
      AWS_ENDPOINT_URL_SESV2: aws.origin,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'x',
    }
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    await dropLogins(database.pool)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    deployed = () => {}
    pause = () => Promise.resolve()
    isOnProxy = false
    useEndpoint(database.endpoint)
    Object.assign(proxy, { amend: () => {}, beforeWrite: () => {}, afterWrite: () => {} })
    await aws.close()
    const passwords = [...aws.secrets.values()].map((value) => (value && URL.parse(value)?.password) || value)
    const output = printed.splice(0).join('')
    for (const secret of [ownerPassword, providerKey, ...passwords]) if (secret) expect(output).not.toContain(secret)
  })
  afterAll(async () => {
    await unlock()
    useEndpoint(database.endpoint)
    await proxy.close()
    await provider.close()
  })

  const cdk = async (args: readonly string[]) => {
    const name = args.at(-1)!
    const settings = findStage('prod', directory)!
    aws.beforeWrite(`cdk ${name}`)
    if (name.endsWith('-secrets'))
      for (const secret of secretNamesOf(settings)) {
        const id = secretIdOf('prod', settings, secret)
        if (!aws.secrets.has(id)) aws.secrets.set(id, undefined)
      }
    const before = aws.stacks.get(name)
    const [, migrated = [...migrationNames, ...databaseUsers].join(' ')] = /^migrated=(.*)/m.exec(args.join('\n')) ?? []
    aws.stacks.set(name, {
      ...before,
      outputs: { baseurl: 'https://api.example.org', ...before?.outputs, migrated },
      status: before ? 'UPDATE_COMPLETE' : 'CREATE_COMPLETE',
      isProtected: true,
    })
    if (!name.endsWith('-secrets')) await deployed(args)
    aws.afterWrite(`cdk ${name}`)
  }

  const secretId = (name: SecretName) => secretIdOf('prod', findStage('prod', directory)!, name)

  /** The team's answers for runs without questions. */
  const answers = () => ({
    OWNER_URL: ownerUrl(),
    PROVIDER_KEY: providerKey,
    PROVIDER_URL: provider.baseUrl,
    PROVIDER_MODEL: 'fake',
    ALARM_ADDRESS: 'duty@example.org',
    RUNBOOK_URL: 'https://example.org/runbook.md',
    MAIL_FROM: 'Cuecard <hello@example.org>',
  })
  const ownerUrl = () => {
    const url = new URL(database.url)
    url.password = ownerPassword
    return url.href
  }

  return {
    /** Runs a command; `typed` answers the prompts of a terminal in turn. */
    async run(
      args: string[],
      { env = answers(), stdin = '', typed }: { env?: object; stdin?: string; typed?: string[] } = {},
    ): Promise<Finished> {
      const keyboard = Object.assign(new PassThrough(), { isTTY: true as const })
      const stdout = collector((text) => printed.push(text))
      const stderr = collector((text) => {
        printed.push(text)
        if (/(: |\]: |\] |name: )$/.test(text) && typed?.length) keyboard.write(`${typed.shift()}\n`)
      })
      const terminal = {
        env: { DATABASE_ENDPOINT: proxy.origin, ...env } as NodeJS.ProcessEnv,
        stdin: typed ? keyboard : Readable.from([stdin]),
        stdout,
        stderr,
        person: 'ada@lighthouse',
        signal: new AbortController().signal,
      }
      const surroundings = {
        terminal,
        cdk,
        pause: (milliseconds: number) => pause(milliseconds),
        directory,
      }
      const code = await runStage(args, surroundings).finally(() =>
        useEndpoint(isOnProxy ? proxy.origin : database.endpoint),
      )
      return { code, stdout: stdout.text(), stderr: stderr.text() }
    },
    answers,
    ownerUrl,
    providerKey,
    onDeploy(act: typeof deployed) {
      deployed = act
    },
    onPause(act: (milliseconds: number) => Promise<void>) {
      pause = act
    },
    /** Sends all further connections of this process to the database through the proxy. */
    stayOnProxy() {
      isOnProxy = true
      useEndpoint(proxy.origin)
    },
    /** Gives another stage the settings of prod. */
    copyFile: (name: string) => writeStageFile(directory, name, readStageFile(directory, 'prod')!),
    async setDomain(name: string) {
      const certificateArn = 'arn:aws:acm:eu-central-1:444455556666:certificate/c'
      await writeStageFile(directory, 'prod', {
        ...readStageFile(directory, 'prod')!,
        customDomain: { name, certificateArn },
      })
    },
    /** Restores the start of a test: no logins, nothing in AWS, no settings. */
    async clear() {
      aws.secrets.clear()
      aws.stacks.delete('cuecard-prod-secrets')
      await rm(join(directory, 'prod.json'), { force: true })
      await dropLogins(database.pool)
      await database.pool.query('truncate organizations, operator_actions cascade')
    },
    get aws() {
      return aws
    },
    get proxy() {
      return proxy
    },
    get provider() {
      return provider
    },
    get directory() {
      return directory
    },
    get pool() {
      return database.pool
    },
    secret: (name: SecretName) => aws.secrets.get(secretId(name)),
    secretId,
  }
}

/** The Lambda `migrate`, as deployed in prod. @param stage has its secrets and database */
export async function migrateLambdaOf({
  aws,
  proxy,
}: Record<'aws' | 'proxy', { origin: string }>): Promise<(event: object) => Promise<unknown>> {
  const LOGIN_SECRETS = JSON.stringify(
    Object.fromEntries(databaseUsers.map((name) => [name, `cuecard/prod/database-${name}`])),
  )
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', aws.origin)
  const before = { ...process.env }
  const settings = { DATABASE_SECRET: 'cuecard/prod/database-owner', DATABASE_ENDPOINT: proxy.origin, LOGIN_SECRETS }
  Object.assign(process.env, settings)
  delete process.env.DATABASE_URL
  const entry = join(import.meta.dirname, '../../../infra/migrations/handler.ts')
  const { handler } = await import(`${pathToFileURL(entry).href}?instance=${loads++}`)
  for (const name of Object.keys(settings)) delete process.env[name]
  Object.assign(process.env, before)
  return handler
}

/** Deploys the Lambda `migrate` and the canary, which calls the API at `baseUrl`, beside the stand. */
export async function deployLambdas(stage: StageTools, stand: Pick<TestStand, 'deliver'>, baseUrl: string) {
  const apiKey = () => Promise.resolve(stage.secret('canary')!)
  const canary = () => runCanary({ baseUrl, apiKey, signal: AbortSignal.timeout(60_000), pause: () => stand.deliver() })
  stage.aws.lambdas.set('cuecard-prod-canary:live', canary)
  stage.aws.lambdas.set('cuecard-prod-migrate', await migrateLambdaOf(stage))
}

let loads = 0

/** A warm instance of a Lambda, with the settings of a deployed one. @returns what responds with the status of a request */
export async function instanceOn(stage: StageTools, stand: TestStand, name: DatabaseUser) {
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', stage.aws.origin)
  const env = { DATABASE_SECRET: `cuecard/prod/database-${name}`, DATABASE_ENDPOINT: stage.proxy.origin }
  const { DATABASE_URL, DATABASE_ENDPOINT } = process.env
  Object.assign(process.env, env, { DATABASE_URL: '' })
  const { handler } = await import(`${pathToFileURL(entryOf(name)).href}?instance=${loads++}`)
  Object.assign(process.env, { DATABASE_URL, DATABASE_ENDPOINT })
  delete process.env.DATABASE_SECRET
  const routes = stand.functions.routes.map(({ route }) => route)
  return async (apiKey: string, method: string, url: string, body?: object): Promise<number> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const event = toEvent({ method, url, headers, ...(body && { body: JSON.stringify(body) }) }, routes)
    const settings = { functionName: name, timeoutSeconds: 60 }
    const result = await invoke(handler as LambdaHandler<unknown, unknown>, event, settings)
    return (result as APIGatewayProxyStructuredResultV2).statusCode!
  }
}
