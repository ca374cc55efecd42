import type { HonoRequest } from 'hono'

/** As the client addressed us, with scheme and port, which the adapter's URL lacks behind a local gateway. */
export function originOf(request: HonoRequest): string {
  const { protocol, host } = new URL(request.url)
  return `${request.header('x-forwarded-proto') ?? protocol.slice(0, -1)}://${request.header('host') ?? host}`
}
