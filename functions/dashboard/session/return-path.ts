import type { Context } from 'hono'
import type { ApiEnv } from '../../../shared/http/api.ts'

const home = '/dashboard'
const signIn = `${home}/sign-in`

const maxCharacters = 2000

/** The sent address's path and query if they lead to the dashboard, else its first screen. Ignores the host. */
export function returnPath(sent: string | undefined): string {
  if (sent === undefined || sent.length > maxCharacters) return home
  const url = URL.parse(sent, 'https://here.invalid')
  if (!url || !/^\/dashboard(\/(?!(sign-in|sign-out|assets)(\/|$)).*)?$/.test(url.pathname)) return home
  return url.pathname + url.search
}

/** The address of the sign-in page, which leads back to the requested screen or to the request's source. */
export function signInPath(c: Context<ApiEnv>): string {
  const from = c.req.header('hx-current-url') ?? (c.req.method === 'GET' ? c.req.url : c.req.header('referer'))
  const to = returnPath(from)
  return to === home ? signIn : `${signIn}?to=${encodeURIComponent(to)}`
}
