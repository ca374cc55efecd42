import type { Context, Handler, HonoRequest } from 'hono'
import type * as v from 'valibot'
import type { Database } from '../database/database.ts'
import type { ApiEnv } from './api.ts'
import { type ApiKey, keyVerifier, type Permission } from './api-keys.ts'
import { ApiError, type Fault } from './errors.ts'
import { fields } from './input/fields.ts'
import { readJson } from './input/json-body.ts'
import { readBody, readParameters } from './input/validation.ts'
import { attachRouteMetadata, type Given, type RouteMetadata, type Schema } from './route-metadata.ts'

type Output<S> = S extends Schema ? v.InferOutput<S> : undefined

/** A request that has passed every check that needs no look at the resource itself. */
export interface CheckedRequest<P, Q, H, B> {
  c: Context<ApiEnv>
  key: ApiKey
  /** The database, confined to the key's organization. */
  db: Database
  params: Output<P>
  query: Output<Q>
  headers: Output<H>
  body: Output<B>
}

/**
 * Makes `endpoint(operation, handler)`, which checks in the documented order: key, permission, path and query parameters
 * and headers, media type, size, JSON, schema. The handler runs only when all hold.
 */
export function endpoints(db: Database, now?: () => number) {
  const verify = keyVerifier(db, now)

  return function endpoint<
    P extends Given = undefined,
    Q extends Given = undefined,
    H extends Given = undefined,
    B extends Given = undefined,
  >(
    op: RouteMetadata<P, Q, H, B> & { permission: Permission },
    handler: (request: CheckedRequest<P, Q, H, B>) => Promise<Response>,
  ): Handler<ApiEnv> {
    const run: Handler<ApiEnv> = async (c) => {
      const key = await verify(c.req.header('x-api-key'))
      c.set('key', key)
      if (!key.permissions.includes(op.permission))
        throw new ApiError('missing_permission', `This key lacks ${op.permission}.`, {
          extra: { required_permission: op.permission },
        })
      const faults: Fault[] = []
      const params = op.params && readParameters(op.params, c.req.param(), 'parameter', faults)
      const query = readParameters(op.query ?? noParameters, queryOf(c), 'parameter', faults)
      const headers = op.headers && readParameters(op.headers, c.req.header(), 'header', faults)
      if (faults.length > 0)
        throw new ApiError('invalid_parameter', 'See errors for each parameter.', { errors: faults })
      const body = op.body && readBody(op.body, await readJson(c.req.raw))
      if (op.permission.endsWith(':write')) c.set('outcome', unknownOutcome(c.req))
      return await handler({
        c,
        key,
        db: db.forOrganization(key.organizationId),
        params: params as Output<P>,
        query: query as Output<Q>,
        headers: headers as Output<H>,
        body: body as Output<B>,
      })
    }
    attachRouteMetadata(run as Handler, op as RouteMetadata)
    return run
  }
}

/** What to know and do when it is not known whether a change took effect. */
function unknownOutcome(request: HonoRequest): string {
  if (request.method === 'POST')
    return request.header('idempotency-key') === undefined
      ? 'It is unknown whether the request took effect. Look before you repeat it, and send an Idempotency-Key with it the next time: then it takes effect once.'
      : 'It is unknown whether the request took effect. Repeat it with the same Idempotency-Key: it takes effect once.'
  const known = 'It is unknown whether the change took effect. Repeating the request is safe'
  return request.header('if-match') === undefined
    ? `${known}.`
    : `${known}; if that is 412, the change may have taken effect or somebody else's: get the document to see.`
}

const noParameters = fields({})

/** A parameter given twice reaches the schema as an array, which no parameter is. */
function queryOf(c: Context): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length > 1 ? values : values[0]!]),
  )
}

/** An endpoint for anybody: no key, nothing of any organization. */
export function publicEndpoint(
  op: RouteMetadata<Given, undefined, undefined, undefined> & { permission: 'none' },
  handler: (c: Context<ApiEnv>) => Response | Promise<Response>,
): Handler<ApiEnv> {
  const run: Handler<ApiEnv> = async (c) => await handler(c)
  attachRouteMetadata(run as Handler, op)
  return run
}
