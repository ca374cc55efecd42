import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import { organizationId } from '../../../shared/ids.ts'
import { listMemberships } from '../../../shared/organizations/people.ts'
import { signInAs } from '../../../shared/organizations/sessions.ts'
import { Gone } from '../error-view.ts'
import { organizationsPath } from '../layout.ts'
import { rowsView } from '../list.ts'
import { roles } from '../permission-names.ts'
import { type Screens, valid } from '../screen.ts'
import { returnPath } from './return-path.ts'
import { completeSignIn } from './sign-in.ts'

const form = v.object({ organization: organizationId, to: v.optional(v.string()) })

/** Lets a member of several organizations choose the session's organization. */
export function addOrganizationScreens(screens: Screens, db: Database) {
  screens
    .get(organizationsPath, { permission: 'any' }, async ({ c, session }) => {
      const to = returnPath(c.req.query('to'))
      const memberships = await listMemberships(db, session.tokenHash)
      const rows = memberships.map(({ id, name, role }) => {
        return html`<li><div class="what"><p class="name">${name}</p><p class="hint">${roles[role].title}</p></div>
<form method="post"><input type="hidden" name="organization" value="${id}"><input type="hidden" name="to" value="${to}"><button class="plain" aria-label="Open ${name}">Open</button></form></li>`
      })
      return { title: 'Choose an organization', content: rowsView(rows) }
    })
    .post(organizationsPath, { permission: 'any', form }, async ({ c, session, form }) => {
      const { organization, to } = valid(form)
      if (!session.person) throw new Gone()
      const opened = await signInAs(db, session.name, organization)
      if (opened.outcome === 'refused') throw new Gone()
      return completeSignIn(c, { token: opened.token }, returnPath(to))
    })
}
