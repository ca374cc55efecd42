import type { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import { type ApiEnv, api } from './api.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import type { OptionalSchema } from './route-metadata.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

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
export type Router = Record<(typeof methods)[number], AddRoute> & {
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
    const adders = methods.map((method): [string, AddRoute] => {
      return [
        method,
        (path, operation, handler) => {
          app.on(method, path, endpoint({ tag, ...operation }, handler))
          return own
        },
      ]
    })
    const own = { app, tagged, ...Object.fromEntries(adders) } as Router
    return own
  }
  return tagged(tag)
}
