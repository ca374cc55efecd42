import type { Context, Handler } from 'hono'
import type { ApiEnv } from './api.ts'
import { attachRouteMetadata, type OptionalSchema, type RouteMetadata } from './route-metadata.ts'

export function publicEndpoint(
  op: RouteMetadata<OptionalSchema, undefined, undefined, undefined> & { permission: 'none' },
  handler: (c: Context<ApiEnv>) => Response | Promise<Response>,
): Handler<ApiEnv> {
  const run: Handler<ApiEnv> = async (c) => await handler(c)
  attachRouteMetadata(run as Handler, op)
  return run
}
