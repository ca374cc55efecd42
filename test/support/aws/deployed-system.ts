import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { BundleName } from '../../../infra/aws/bundles/bundle.ts'
import { startEmulator } from '../../../infra/local/emulator.ts'
import { type GatewayRequest, toEvent } from '../../../infra/local/gateway/event.ts'
import { credentials, region } from '../../../infra/local/lambda.ts'
import { databaseUsers, type Lambda, type LambdaName, lambdas } from '../../../infra/wiring.ts'
import { Database } from '../../../shared/database/database.ts'
import { serveEmptyDatabase } from '../database/empty-database.ts'
import { lockLogins } from '../database/server-logins.ts'
import { listen } from '../http/loopback.ts'
import { startKeyedProvider } from '../provider/keyed-provider.ts'
import { startAwsServices } from './aws-services.ts'
import { type Fields, type StackTemplate, sharedSynthesis } from './aws-template.ts'
import { type LambdaInstance, startInstance } from './lambda-instance.ts'

/**
 * The system as the template deploys it: for each Lambda a process that loads its asset of the cloud assembly, in the
 * environment that the template gives it, where only addresses lead to loopback. The Lambda that migrates makes the database
 * and the logins, whose secrets are empty before.
 * @param given by default prod
 */
export async function deploy(given?: StackTemplate) {
  const closers: (() => unknown)[] = []
  const opened = <T extends { close(): unknown }>(service: T): T => {
    closers.push(() => service.close())
    return service
  }
  const { DATABASE_URL: server } = process.env
  const database = opened(await serveEmptyDatabase())
  closers.push(await lockLogins(server, database.pool))
  const { endpoint, queues, bucket } = opened(await startEmulator())
  const aws = opened(await startAwsServices())
  const provider = opened(await startKeyedProvider())
  const stack = given ?? (await sharedSynthesis()).stack('prod')

  const secrets: string[] = []
  const secretOf = (name: string) => `${stack.name.replace('-', '/')}/${name}`
  const keep = (name: string, value: string | undefined) => aws.secrets.set(secretOf(name), value)
  keep('database-owner', database.url)
  for (const name of databaseUsers) keep(`database-${name}`, undefined)
  const providerKey = `sk-${randomBytes(12).toString('hex')}`
  secrets.push(providerKey)
  provider.keys.add(providerKey)
  keep('provider/api.openai.com/v1', providerKey)

  const local: Record<string, string> = {
    AWS_REGION: region,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.origin,
    DATABASE_ENDPOINT: database.endpoint,
  }
  const customers = opened(await listen((request, response) => void respond(request, response)))
  const addresses: Record<string, string> = {
    ...{
      BASE_URL: customers.origin,
      ORIGIN: customers.origin,
      EMBEDDING_BASE_URL: provider.baseUrl,
      FILES_BUCKET: bucket,
    },
    QUEUE_URL: queues.embedding.queueUrl,
    EXTRACTION_QUEUE_URL: queues.extraction.queueUrl,
    CRAWLER_QUEUE_URL: queues.crawler.queueUrl,
  }
  const running = new Map<BundleName, LambdaInstance>()

  async function instanceOf(name: BundleName): Promise<LambdaInstance> {
    const { Variables } = stack.lambda(name).Properties.Environment as { Variables: Fields }
    const own = Object.entries(Variables).map(([key, value]) => [key, addresses[key] ?? stack.resolve(value)])
    const service = { AWS_LAMBDA_FUNCTION_NAME: `${stack.name}-${name}` }
    return await startInstance(stack.bundle(name), { ...local, ...service, ...Object.fromEntries(own) })
  }

  async function invoke(name: BundleName, event: unknown): Promise<unknown> {
    const instance = running.get(name) ?? (await instanceOf(name))
    running.set(name, instance)
    return await instance.invoke(event)
  }

  /** One HTTP request, through the Lambda that serves its route. */
  async function send(request: GatewayRequest): Promise<APIGatewayProxyStructuredResultV2> {
    const event = toEvent(request, [...serving.keys()])!
    const name = serving.get(event.routeKey.replace('ANY ', ''))!
    return (await invoke(name, event)) as APIGatewayProxyStructuredResultV2
  }

  /** Responds at the public address. */
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url } = request as { method: string; url: string }
    await beforeResponse(method, url)
    const { headers, body } = { headers: request.headers as Record<string, string>, body: await text(request) }
    const result = await send({ method, url, headers, ...(body && { body }) })
    response.writeHead(result.statusCode!, result.headers as Record<string, string>).end(result.body)
  }

  let beforeResponse: (method: string, url: string) => Promise<void> = () => Promise.resolve()
  const migrated = [await invoke('migrate', {}), await invoke('migrate', {})]
  const logins = databaseUsers.map((name) => new URL(aws.secrets.get(secretOf(`database-${name}`))!))
  secrets.push(...logins.map(({ password }) => password))
  const owner = new Database({ url: () => database.url, endpoint: database.endpoint, timeoutSeconds: 15 })

  return {
    sqsEndpoint: endpoint,
    queues,
    /** The two answers of the Lambda `migrate`, which was called twice. */
    migrated,
    /** The database as its owner sees it. */
    owner,
    /** Secrets that no log may have. */
    secrets,
    invoke,

    send,

    /** Runs an action before each response at the public address. */
    before(act: typeof beforeResponse): void {
      beforeResponse = act
    },

    /** Fills a secret of the stage. */
    keep,

    /** One request to the API. */
    async http(method: string, url: string, apiKey?: string, body?: object) {
      const headers = { ...(apiKey && { 'x-api-key': apiKey }), ...(body && { 'content-type': 'application/json' }) }
      const result = await send({ method, url, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: result.statusCode, headers: result.headers ?? {}, body: JSON.parse(result.body || 'null') }
    },

    /** Ends all instances. @returns their logs */
    async stop(): Promise<string> {
      const logs = await Promise.all([...running.values()].map((instance) => instance.stop()))
      running.clear()
      return logs.join('')
    },

    async close(): Promise<void> {
      await Promise.all([...running.values()].map((instance) => instance.stop()))
      for (const closer of closers.splice(0).reverse()) await closer()
    },
  }
}

/** Route → the Lambda that serves it. */
const serving = new Map(
  (Object.entries(lambdas) as [LambdaName, Lambda][]).flatMap(([name, { routes = [] }]) =>
    routes.map((route) => [route, name]),
  ),
)
