import type { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import { type ApiEnv, api } from './api.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import type { OptionalSchema } from './route-metadata.ts'

type AddRoute = <
  P extends OptionalSchema = undefined,
  Q extends OptionalSchema = undefined,
  H extends OptionalSchema = undefined,
  B extends OptionalSchema = undefined,
>(
  path: string,
  ...[operation, handler]: Endpoint<P, Q, H, B>
) => Router

/** Adds routes to an app, each behind the checks of its key, permission and input. */
export type Router = Record<'get' | 'post' | 'put' | 'patch' | 'delete', AddRoute> & {
  app: Hono<ApiEnv>
  /** Adds to the same app routes of another tag. */
  tagged(tag: string): Router
}

export function router(
  tag: string,
  { db, now }: { db: Database; now?: (() => number) | undefined },
  app = api(),
): Router {
  const endpoint = endpoints(db, now)
  const tagged = (tag: string): Router => {
    const adding = (method: string): AddRoute => {
      return (path, operation, handler) => {
        app.on(method, path, endpoint({ tag, ...operation }, handler))
        return routes
      }
    }
    const changing = { put: adding('PUT'), patch: adding('PATCH'), delete: adding('DELETE') }
    const routes = { app, tagged, get: adding('GET'), post: adding('POST'), ...changing }
    return routes
  }
  return tagged(tag)
}
