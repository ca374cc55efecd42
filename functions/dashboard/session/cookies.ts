import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ApiEnv } from '../../../shared/http/api.ts'
import { originOf } from '../../../shared/http/origin.ts'
import { newToken, sessionSeconds } from '../../../shared/organizations/sessions.ts'
import { isLoopbackHost } from '../../../shared/outbound/addresses.ts'

const name = 'cuecard_session'

/** `Lax`: links from mails and other sites lead to screens, and their forms are refused. Without `Secure` on loopback, as Safari drops secure cookies from http://127.0.0.1. */
export function cookieAttributes(c: Context<ApiEnv>) {
  const origin = URL.parse(originOf(c.req))
  const isSecure = origin?.protocol !== 'http:' || !isLoopbackHost(origin.hostname)
  return { path: '/dashboard', httpOnly: true, sameSite: 'Lax', secure: isSecure } as const
}

export const sentToken = (c: Context<ApiEnv>) => getCookie(c, name)

export function setToken(c: Context<ApiEnv>, token: string): void {
  setCookie(c, name, token, { ...cookieAttributes(c), maxAge: sessionSeconds })
}

export function clearToken(c: Context<ApiEnv>): void {
  deleteCookie(c, name, cookieAttributes(c))
}

const linkName = 'cuecard_link'

/** Attributes of a cookie that ties a sign-in to the browser that began it. */
export const returnAttributes = (c: Context<ApiEnv>, maxAge: number) =>
  ({ ...cookieAttributes(c), path: '/dashboard/sign-in', maxAge }) as const

export const sentLinkCookie = (c: Context<ApiEnv>) => getCookie(c, linkName)

const linkCookieSeconds = 90 * 86_400

/** Sets the secret by which the server recognizes this browser, the same as before if it has one. @returns it */
export function keepLinkCookie(c: Context<ApiEnv>): string {
  const sent = sentLinkCookie(c) ?? ''
  const secret = /^[\w-]{43}$/.test(sent) ? sent : newToken()
  setCookie(c, linkName, secret, returnAttributes(c, linkCookieSeconds))
  return secret
}
