import type { Context, Handler, Hono, HonoRequest } from 'hono'
import type * as v from 'valibot'
import type { Database } from '../database/database.ts'
import { type IdsIn, idsIn, type OrganizationId } from '../ids.ts'
import type { Permission } from '../organizations/permissions.ts'
import { steadyNow } from '../time/steady-clock.ts'
import type { Origin } from '../work/message.ts'
import { type ApiEnv, api, sentBody } from './api.ts'
import { type Callers, keyCallers, type VerifiedKey } from './api-keys.ts'
import { ApiError, type InputError } from './errors.ts'
import { idempotencyHeader } from './idempotency.ts'
import { fields } from './input/fields.ts'
import { readJson } from './input/json-body.ts'
import { readBody, readParameters, requireValid, singleValues } from './input/validation.ts'
import { requireParents } from './not-found.ts'
import { type Meter, requestMeters } from './request-meter.ts'
import { attachRouteMetadata, type OptionalSchema, type RouteMetadata, type Schema } from './route-metadata.ts'

type Output<S> = S extends Schema ? v.InferOutput<S> : undefined

interface CheckedRequest<Ids = object, Q = OptionalSchema, H = OptionalSchema, B = OptionalSchema> {
  c: Context<ApiEnv>
  key: VerifiedKey
  /** Looks the key up again, since it may have been cached for seconds. @throws ApiError invalid_api_key */
  confirmKey: () => Promise<void>
  meter: Meter
  db: Database
  /** The key's organization, and the ids in the path. */
  scope: { organizationId: OrganizationId } & Ids
  origin: Origin
  query: Output<Q>
  headers: Output<H>
  body: Output<B>
}

type AddRoute = <
  Path extends string,
  P extends OptionalSchema = undefined,
  Q extends OptionalSchema = undefined,
  H extends OptionalSchema = undefined,
  B extends OptionalSchema = undefined,
>(
  path: Path,
  /** Has `params` only if the path has other ids than those of `idsIn`. */
  operation: Omit<RouteMetadata<P, Q, H, B>, 'tag'> & {
    permission: Permission
    /** Another path, on which callers send something other than an API key. */
    alsoAt?: { path: string; callers: Callers }
  },
  handle: (request: CheckedRequest<P extends Schema ? Output<P> : IdsIn<Path>, Q, H, B>) => Promise<Response>,
) => Router

/** Adds routes to an app, each behind the checks of its key, permission and input. */
export type Router = Record<'get' | 'post' | 'put' | 'patch' | 'delete', AddRoute> & {
  app: Hono<ApiEnv>
  /** Adds routes of another tag to the same app. */
  tagged(tag: string): Router
}

export interface RouterOptions {
  db: Database
  now?: (() => number) | undefined
}

export function router(tag: string, { db, now = steadyNow }: RouterOptions, app = api()): Router {
  const verifyKey = keyCallers(db, now)
  const meterOf = requestMeters(db, { now })
  return tagged(tag)

  function tagged(tag: string): Router {
    const adding = (method: string): AddRoute => {
      return (path, { alsoAt, ...given }, handle) => {
        const operation = { ...given, params: given.params ?? idsIn(path) }
        app.on(method, path, endpoint({ tag, ...operation }, handle))
        if (alsoAt) {
          const other = {
            isUndocumented: true,
            isByToken: true,
            operationId: `${operation.operationId}ByToken`,
          } as const
          app.on(method, alsoAt.path, endpoint({ tag, ...operation, ...other }, handle, alsoAt.callers(db, now)))
        }
        return routes
      }
    }
    const changing = { put: adding('PUT'), patch: adding('PATCH'), delete: adding('DELETE') }
    const routes = { app, tagged, get: adding('GET'), post: adding('POST'), ...changing }
    return routes
  }

  function endpoint(
    op: RouteMetadata & { permission: Permission },
    handle: (request: never) => Promise<Response>,
    verify = verifyKey,
  ): Handler<ApiEnv> {
    const run: Handler<ApiEnv> = async (c) => {
      const started = now()
      const key = await verify(c)
      c.set('key', key)
      const meter = meterOf(key.organizationId)
      await meter.admit()
      try {
        return await respond(c, key, meter)
      } finally {
        await meter.finish(now() - started - (c.get('waitedMilliseconds') ?? 0))
      }
    }

    async function respond(c: Context<ApiEnv>, key: VerifiedKey, meter: Meter) {
      if (!key.permissions.includes(op.permission))
        throw new ApiError('missing_permission', `This API key needs the permission ${op.permission}.`, {
          extra: { required_permission: op.permission },
        })
      const errors: InputError[] = []
      const params = op.params && readParameters(op.params, c.req.param(), 'parameter', errors)
      const query = readParameters(op.query ?? noParameters, singleValues(c.req.queries()), 'parameter', errors)
      const headers = op.headers && readParameters(op.headers, c.req.header(), 'header', errors)
      requireValid(errors)
      const body = op.body && readBody(op.body, readJson(await sentBody(c), c.req.raw.headers))
      if (op.permission.endsWith(':write'))
        c.set('unavailableDetail', unknownOutcome(c.req, op.headers === idempotencyHeader))
      const confirmKey = async () => void (await verify(c, { mayBeCached: false }))
      try {
        const origin = { requestId: c.get('requestId'), by: key.id }
        const scope = { organizationId: key.organizationId, ...(params as object) }
        const scoped = db.forAgent(scope)
        const input = { query, headers, body }
        const request: CheckedRequest = { c, key, confirmKey, meter, db: scoped, scope, origin, ...input }
        return await handle(request as never)
      } catch (error) {
        requireParents(error)
        // The path has no agent that would show that the organization was just deleted.
        if (error instanceof ApiError && error.code === 'webhook_not_found') await confirmKey()
        throw error
      }
    }
    attachRouteMetadata(run as Handler, op)
    return run
  }
}

function unknownOutcome(request: HonoRequest, takesIdempotencyKey: boolean): string {
  if (takesIdempotencyKey)
    return request.header('idempotency-key') === undefined
      ? 'It is unknown whether the request took effect. Check before you retry. With an Idempotency-Key a request can be retried safely.'
      : 'It is unknown whether the request took effect. Retry it with the same Idempotency-Key: it takes effect only once.'
  const known = 'It is unknown whether the change took effect. Retrying the request is safe'
  return request.header('if-match') === undefined
    ? `${known}.`
    : `${known}. If the retry returns 412, this change or another one has taken effect: get the document to see which.`
}

const noParameters = fields({})
