import type { HonoRequest } from 'hono'

/** The origin that the client addressed, with scheme and port, which the adapter's URL lacks behind a local gateway. */
export function originOf(request: HonoRequest): string {
  const { protocol, host } = new URL(request.url)
  return `${request.header('x-forwarded-proto') ?? protocol.slice(0, -1)}://${request.header('host') ?? host}`
}
