import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Database } from '../../../shared/database/database.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import { acceptInvitation, findInvitation } from '../../../shared/organizations/people.ts'
import { signInAs } from '../../../shared/organizations/sessions.ts'
import { requireForm } from '../forms.ts'
import { endView, plainLayout } from '../layout.ts'
import { invitationPath } from '../paths.ts'
import { ofRoles, roles } from '../permission-names.ts'
import type { CurrentSession } from './current-session.ts'
import { completeSignIn } from './sign-in.ts'

/** Shows the invitation behind a mailed link. Only the button accepts it. */
export function invitationRoutes(db: Database, findSession: CurrentSession) {
  return new Hono<ApiEnv>()
    .get(invitationPath, async (c) => {
      const invitation = await findInvitation(db, c.req.query('token') ?? '')
      if (!invitation) return c.html(over(), 404)
      const { organization_name, mail, role } = invitation
      const content = html`<p class="lead">${mail} is invited as ${roles[role].name}.</p><p>${ofRoles}</p>
<form method="post"><button autofocus>Accept</button></form>`
      return c.html(plainLayout(`Join ${organization_name}`, content))
    })
    .post(invitationPath, async (c) => {
      requireForm(c)
      const token = c.req.query('token') ?? ''
      const [invitation, session] = await Promise.all([findInvitation(db, token), findSession(c)])
      if (invitation && session?.person && session.name !== invitation.mail) return c.html(other(session.name), 403)
      const accepted = await acceptInvitation(db, token)
      if (!accepted) return c.html(over(), 404)
      const opened = await signInAs(db, accepted.mail, accepted.organization_id)
      if (opened.outcome === 'refused') return c.html(over(), 404)
      return completeSignIn(c, { token: opened.token }, '/dashboard')
    })
}

function over() {
  const lead = 'It works once, for seven days, unless it is withdrawn. If you’ve accepted it, sign in.'
  return endView('This invitation was used or has expired', lead, '/dashboard/sign-in', 'Sign in')
}

function other(mail: string) {
  const lead = `You’re signed in as ${mail}. Sign out first, then open the link again.`
  return endView('This invitation is for somebody else', lead, '/dashboard', 'Back to agents')
}
