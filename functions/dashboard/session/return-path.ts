import type { Context } from 'hono'
import type { ApiEnv } from '../../../shared/http/api.ts'

const home = '/dashboard'
const signIn = `${home}/sign-in`

const maxCharacters = 2000

/** Path and query of the sent address if they lead to the dashboard, else its first screen; the host is ignored. */
export function returnPath(sent: string | undefined): string {
  if (sent === undefined || sent.length > maxCharacters) return home
  const url = URL.parse(sent, 'https://here.invalid')
  if (!url || !/^\/dashboard(\/(?!(sign-in|sign-out|assets)(\/|$)).*)?$/.test(url.pathname)) return home
  return url.pathname + url.search
}

/** The page to sign in, which leads back to the screen that was asked for, or that something was sent from. */
export function signInPath(c: Context<ApiEnv>): string {
  const from = c.req.header('hx-current-url') ?? (c.req.method === 'GET' ? c.req.url : c.req.header('referer'))
  const to = returnPath(from)
  return to === home ? signIn : `${signIn}?to=${encodeURIComponent(to)}`
}
