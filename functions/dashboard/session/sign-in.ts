import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import { websiteAddress } from '../../../shared/http/api.ts'
import { isWellFormed } from '../../../shared/http/api-keys.ts'
import { signIn, signOut } from '../../../shared/organizations/sessions.ts'
import { fieldsOf, type Sent } from '../form-view.ts'
import { readForm, requireForm } from '../forms.ts'
import { type Html, organizationsPath, plainLayout } from '../layout.ts'
import { withQuery } from '../paths.ts'
import { clearToken, sentToken, setToken } from './cookies.ts'
import type { CurrentSession } from './current-session.ts'
import { returnPath } from './return-path.ts'

const form = v.object({ key: v.optional(v.string(), ''), to: v.optional(v.string()) })

const path = '/dashboard/sign-in'
export const mailPath = `${path}/mail`
export const oidcPath = `${path}/oidc`

/** A stage's ways to sign in. */
export interface Ways {
  mail: boolean
  keys: boolean
  /** The OpenID Connect provider's name. */
  oidc: string | undefined
}

/** Starts and ends sessions. These routes need no session. */
export function signInRoutes(db: Database, findSession: CurrentSession, ways: Ways) {
  return new Hono<ApiEnv>()
    .get(path, async (c) => {
      const to = returnPath(c.req.query('to'))
      if (await findSession(c)) return c.redirect(to, 303)
      const notice = sentToken(c) && 'Your session has ended. Sign in to continue.'
      return c.html(signInPage(ways, { to, notice }))
    })
    .post(path, async (c) => {
      requireForm(c)
      const sent = await readForm(c, form)
      const key = sent.isValid ? sent.values.key.trim() : ''
      const to = returnPath(sent.isValid ? sent.values.to : undefined)
      if (!ways.keys) return c.html(signInPage(ways, { to }), 403)
      const refuse = (fault: string, status: 422 | 429 = 422) =>
        c.html(signInPage(ways, { to, faults: { key: fault } }), status)
      if (key === '') return refuse('Enter your access key.')
      if (!isWellFormed(key)) return refuse('This key is incomplete. Copy it again, from cue_ to its last character.')
      const result = await signIn(db, key, websiteAddress(c))
      if (result.outcome === 'throttled') {
        c.header('retry-after', `${result.seconds}`)
        return refuse(throttled(Math.ceil(result.seconds / 60)), 429)
      }
      if (result.outcome === 'refused')
        return refuse('This key doesn’t work. It may have expired or been revoked. Ask for a new one.')
      return completeSignIn(c, result, to)
    })
    .post('/dashboard/sign-out', async (c) => {
      requireForm(c)
      const session = await findSession(c)
      if (session) await signOut(db.forOrganization(session.organizationId), session)
      clearToken(c)
      return c.redirect(path, 303)
    })
}

/** Sets the new session. Members of several organizations choose one first. */
export function completeSignIn(
  c: Context<ApiEnv>,
  { token, organizations = 1 }: { token: string; organizations?: number },
  to: string,
): Response {
  setToken(c, token)
  return c.redirect(organizations > 1 ? withQuery(organizationsPath, { to }) : to, 303)
}

export function signInPage(
  ways: Ways,
  { to, notice, ...sent }: Sent & { to: string; notice?: string | undefined },
): Html {
  const { line } = fieldsOf(sent)
  const ofKey = 'It starts with cue_. Whoever set up Cuecard for you gave it to you, or can create a new one.'
  return plainLayout(
    'Sign in',
    html`<p class="lead">See what your voice agents know, and what callers ask them.</p>
${notice ? html`<p class="notice good" role="status">${notice}</p>` : ''}
${ways.oidc && html`<p><a class="button" href="${withQuery(oidcPath, { to })}">Sign in with ${ways.oidc}</a></p>`}
${
  ways.mail &&
  html`<form method="post" action="${mailPath}">
<input type="hidden" name="to" value="${to}">
${line('mail', 'Mail address', 254, 'We’ll send you a link to sign in.', html`type="email" autocomplete="email" required autofocus`)}
<button>Send link</button>
</form>`
}
${
  ways.keys &&
  html`<form method="post" action="${path}">
<input type="hidden" name="to" value="${to}">
<input type="hidden" name="username" autocomplete="username" value="Cuecard">
${line('key', 'Access key', 1000, ofKey, html`type="password" autocomplete="current-password" spellcheck="false" required`)}
<button class="${ways.mail || ways.oidc ? 'plain' : ''}">Sign in</button>
</form>`
}
${Object.values(ways).some(Boolean) ? '' : html`<p class="notice bad">Nobody can sign in here yet. Whoever runs Cuecard can choose how, in the stage’s settings.</p>`}
<p><a href="/v1/docs">API reference</a></p>`,
  )
}

export function throttled(minutes: number): string {
  return `Too many failed attempts from your network. Try again in ${inMinutes(minutes)}.`
}

export const inMinutes = (minutes: number) => (minutes === 1 ? 'a minute' : `${minutes} minutes`)
