import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { Mailer } from '../../../shared/aws/mail.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type ApiEnv, idsOf, websiteAddress } from '../../../shared/http/api.ts'
import { originOf } from '../../../shared/http/origin.ts'
import { askForLink, followLink } from '../../../shared/organizations/sessions.ts'
import { logFailure } from '../../../shared/telemetry/log-failure.ts'
import { mailAddress, readForm, requireForm } from '../forms.ts'
import { endView, plainLayout } from '../layout.ts'
import { withQuery } from '../paths.ts'
import { keepLinkCookie, sentLinkCookie } from './cookies.ts'
import { returnPath } from './return-path.ts'
import { completeSignIn, inMinutes, mailPath, signInPage, throttled, type Ways } from './sign-in.ts'

const linkRequest = v.object({ mail: mailAddress, to: v.optional(v.string()) })
const linkVisit = v.object({ token: v.optional(v.string(), ''), to: v.optional(v.string()) })

const linkPath = '/dashboard/sign-in/link'
/**
 * Every answer waits this long, with or without a mail, so that its time doesn't reveal members. SES accepts a mail in a fraction of it;
 * Lambda stops an instance after the answer, and a slower mail continues with the next request.
 */
const answerMilliseconds = 1000

/** Signs people in by a mailed link. Only the button on its page uses the link up, because mail scanners open links. */
export function mailLinkRoutes(db: Database, mailer: Mailer, ways: Ways) {
  return new Hono<ApiEnv>()
    .post(mailPath, async (c) => {
      requireForm(c)
      const sent = await readForm(c, linkRequest)
      const to = returnPath(sent.typed.to)
      if (!sent.isValid) return c.html(signInPage(ways, { to, ...sent }), 422)
      const { mail } = sent.values
      const asked = await askForLink(db, { mail, browser: keepLinkCookie(c), sourceIp: websiteAddress(c) })
      if (asked.outcome !== 'made') {
        c.header('retry-after', `${asked.seconds}`)
        const minutes = Math.ceil(asked.seconds / 60)
        const faults = { mail: asked.outcome === 'limited' ? tooManyLinks(minutes) : throttled(minutes) }
        return c.html(signInPage(ways, { to, ...sent, faults }), 429)
      }
      const link = `${originOf(c.req)}${withQuery(linkPath, { token: asked.token, to })}`
      const text = `Open this link within 15 minutes, in the browser in which you asked for it:\n\n${link}\n\nIf you didn’t ask for it, ignore this mail: nobody can sign in with it but you.\n`
      if (asked.isMailed)
        mailer.send({ to: mail, subject: 'Sign in to Cuecard', text }).catch((error) => logFailure(error, idsOf(c)))
      await sleep(answerMilliseconds)
      const content = html`<p class="lead">If ${mail} is a member’s address, a link is on its way to it.</p>
<p>The link works once, within 15 minutes, in this browser. Nothing there? Check your junk mail, or <a href="/dashboard/sign-in">try again</a>.</p>`
      return c.html(plainLayout('Check your mail', content))
    })
    .get(linkPath, (c) => c.html(linkPage(c, c.req.query('token') ?? '', returnPath(c.req.query('to')))))
    .post(linkPath, async (c) => {
      requireForm(c)
      const sent = await readForm(c, linkVisit)
      const { token = '', to } = sent.typed
      const result = await followLink(db, token, sentLinkCookie(c) ?? '')
      if (result.outcome === 'opened') return completeSignIn(c, result, returnPath(to))
      const lead = 'A link works once, for 15 minutes, in the browser in which you asked for it.'
      return c.html(
        endView('This link was used or has expired', lead, '/dashboard/sign-in', 'Ask for another link'),
        422,
      )
    })
}

/** Says the same of every address, so that it doesn't reveal members. */
const tooManyLinks = (minutes: number) =>
  `No link was sent: too many were asked for. Try again in ${inMinutes(minutes)}.`

function linkPage(c: Context<ApiEnv>, token: string, to: string) {
  const content =
    sentLinkCookie(c) === undefined
      ? html`<p class="lead">Open the link in the browser in which you asked for it, or <a href="/dashboard/sign-in">ask for another link</a> here.</p>`
      : html`<form method="post" action="${linkPath}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="to" value="${to}">
<button autofocus>Sign in</button></form>`
  return plainLayout('Sign in', content)
}
