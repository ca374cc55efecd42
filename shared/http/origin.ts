import type { HonoRequest } from 'hono'
import { configuredOrigin } from '../config.ts'
import { isLoopbackHost } from '../outbound/addresses.ts'

/** The configured origin, never a host that only the request names. On loopback, it has the name that the browser used, for which it keeps the cookies. */
export function originOf(request: HonoRequest): string {
  const { protocol, hostname, port, origin } = configuredOrigin()
  const sent = URL.parse(`${protocol}//${request.header('host')}`)
  const isSameMachine = sent && sent.port === port && isLoopbackHost(sent.hostname) && isLoopbackHost(hostname)
  return isSameMachine ? sent.origin : origin
}
