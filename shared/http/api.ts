import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context as LambdaContext } from 'aws-lambda'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { handle, type LambdaEvent } from 'hono/aws-lambda'
import { config } from '../config.ts'
import { newId, type OrganizationId } from '../ids.ts'
import { beginEarly } from '../loading.ts'
import type { Permission } from '../organizations/permissions.ts'
import { log } from '../telemetry/log.ts'
import { logFailure } from '../telemetry/log-failure.ts'
import { ApiError, noStore, problem } from './errors.ts'
import type { SentBody } from './input/json-body.ts'
import { requireFitsLambda } from './payload.ts'
import { answerProblems } from './problem-responses.ts'
import { toTraceparent, traceContext } from './trace-context.ts'

const { BEHIND_CLOUDFRONT: isBehindCloudFront } = config()

/** The body is kept apart, because the adapter would encode and copy it three times. */
interface ApiEvent extends APIGatewayProxyEventV2 {
  sent: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>
}

export interface ApiKey {
  id: string
  /** The id's name in logs; `api_key_id` by default. */
  idName?: 'person_id' | 'connection_id' | undefined
  organizationId: OrganizationId
  permissions: Permission[]
  /** Signs the cursors of the organization's lists. Neither JSON nor a log prints a KeyObject's bytes. */
  cursorKey: KeyObject
}

export interface ApiEnv {
  Bindings: { event?: ApiEvent; lambdaContext?: LambdaContext }
  Variables: {
    requestId: string
    /** Set once the request may have changed something: a 503 then says what the caller should do. */
    unavailableDetail?: string
    key?: ApiKey
    /** The part of the request's time in which it only waited for something to change: it costs nothing. */
    waitedMilliseconds?: number
  }
}

/** Guards a path whose last segment other methods would take for an id. */
export const onlyPost: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.method !== 'POST')
    throw new ApiError('method_not_allowed', 'Allowed methods: POST.', { headers: { allow: 'POST' } })
  await next()
}

export function api(): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    const started = performance.now()
    c.set('requestId', c.env?.event?.requestContext.requestId || newId())
    await traceContext.run(toTraceparent(c.req.header('traceparent')), next)
    c.header('x-request-id', c.get('requestId'))
    if (!c.res.headers.has('cache-control')) c.header('cache-control', noStore)
    log.info('request', {
      ...idsOf(c),
      method: c.req.method,
      // Still encoded, and without a key that somebody put where an id belongs.
      path: new URL(c.req.url).pathname.replaceAll(/cue_\w+/g, 'cue_…'),
      status: c.res.status,
      milliseconds: Math.round(performance.now() - started),
    })
  })
  answerProblems(app, (error, c) => logFailure(error, idsOf(c)))
  return app
}

type ApiHandler = (event: APIGatewayProxyEventV2, context: LambdaContext) => Promise<APIGatewayProxyStructuredResultV2>

/** A Lambda handler for API Gateway's payload format 2.0. A request that the adapter itself rejects gets a problem response, too. */
export function lambdaHandler(app: Hono<ApiEnv>): ApiHandler {
  const respond = handle(app)
  // The first use of fetch and Request takes 20 ms.
  beginEarly(fetch('data:,'))
  // Hono compiles its routes for the first request that it matches.
  app.router.match('GET', '/')
  return async (event, context) => {
    const requestId = event.requestContext.requestId
    const request = { instance: event.rawPath, requestId }
    try {
      const result = (await respond(normalizeEvent(event), context)) as APIGatewayProxyStructuredResultV2
      requireFitsLambda(result)
      return result
    } catch (error) {
      if (!(error instanceof ApiError)) logFailure(error, { request_id: requestId })
      return toResult(problem(error, request))
    }
  }
}

/** Removes the parts that the adapter fails on, prints or repairs: methods, hosts, header names and values, the body of a GET. */
function normalizeEvent(event: APIGatewayProxyEventV2): LambdaEvent {
  const { domainName, http } = event.requestContext
  const headers = Object.entries(event.headers).filter(([name]) => token.test(name))
  return {
    ...event,
    rawPath: event.rawPath
      .replace(/^(?!\/)/, '/')
      .split('/')
      .map(escapeSegment)
      .join('/'),
    requestContext: {
      ...event.requestContext,
      domainName: isHost(domainName) ? domainName : 'localhost',
      http: { ...http, method: requestable(http.method) },
    },
    headers: Object.fromEntries(
      headers.map(([name, value]) => [name, value === undefined ? value : singleLine(value)]),
    ),
    ...(event.cookies && { cookies: event.cookies.map(singleLine) }),
    body: null,
    sent: { body: event.body, isBase64Encoded: event.isBase64Encoded },
  } as unknown as LambdaEvent
}

const token = /^[!#$%&'*+.^_`|~\w-]+$/

/** Hono looks methods up in plain objects: `__proto__` would change the prototype of all. */
function requestable(method: string): string {
  if (!token.test(method)) return 'INVALID'
  return /^(TRACE|TRACK|CONNECT)$/i.test(method) || method in Object.prototype ? `X-${method}` : method
}

function singleLine(value: string): string {
  return value.replace(/[\0\r\n]|[^\0-\x7f]/g, '\x7f').replace(/^$/, ' ')
}

function isHost(name: string): boolean {
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.test(name) && URL.canParse(`https://${name}`)
}

/** The address that reached API Gateway, or CloudFront before it. Anybody may send any other header. */
export function websiteAddress(c: Context<ApiEnv>): string {
  const { headers, requestContext } = c.env?.event ?? {}
  // CloudFront appends the port.
  const viewer = headers?.['cloudfront-viewer-address']?.replace(/:\d+$/, '') ?? ''
  if (isBehindCloudFront && isIP(viewer)) return viewer
  return requestContext?.http.sourceIp ?? '127.0.0.1'
}

export async function sentBody(c: Context<ApiEnv>): Promise<SentBody> {
  const event = c.env?.event
  if (!event) return new Uint8Array(await c.req.arrayBuffer())
  const { body = '', isBase64Encoded } = event.sent
  return isBase64Encoded ? Buffer.from(body, 'base64') : body
}

/** The path arrives decoded: `#`, `?`, dots and white space would cut or change the adapter's URL. */
function escapeSegment(segment: string): string {
  return segment === '.' || segment === '..'
    ? segment.replaceAll('.', '%252e')
    : encodeURIComponent(segment.toWellFormed())
}

async function toResult(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    isBase64Encoded: false,
  }
}

export function idsOf(c: Context<ApiEnv>) {
  const key = c.get('key')
  return {
    request_id: c.get('requestId'),
    traceparent: toTraceparent(c.req.header('traceparent')),
    organization_id: key?.organizationId,
    [key?.idName ?? 'api_key_id']: key?.id,
  }
}
