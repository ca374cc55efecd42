import { html } from 'hono/html'
import * as v from 'valibot'
import type { Mailer } from '../../../shared/aws/mail.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { originOf } from '../../../shared/http/origin.ts'
import { listKeys, madeWith } from '../../../shared/organizations/keys.ts'
import {
  changeMember,
  invitationDays,
  invite,
  listPeople,
  type Person,
  type Revocable,
  revocable,
  withdrawInvitation,
} from '../../../shared/organizations/people.ts'
import type { Role } from '../../../shared/organizations/permissions.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { Gone } from '../error-view.ts'
import { confirmView, fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { mailAddress, someOf } from '../forms.ts'
import type { Html } from '../layout.ts'
import { invitationPath, settingsPath, withQuery } from '../paths.ts'
import { ofRoles, roles } from '../permission-names.ts'
import { type Screens, valid } from '../screen.ts'
import { localDay } from '../times.ts'

const path = `${settingsPath}/people` as const
const permission = 'people'
const role = v.picklist(Object.keys(roles) as Role[], 'Choose a role.')
const newForm = v.object({ mail: mailAddress, role })
const removal = v.object({ revoke: someOf(revocable, 'Choose what to revoke.') })
const roleNames = Object.entries(roles).map(([each, { title }]) => [each, title] as const)

/** @param mailer without it, nobody can be invited */
export function addPeopleScreens(screens: Screens, mailer: Mailer | undefined) {
  const inviteView = (sent: Sent) => {
    const { line, choice } = fieldsOf(sent)
    const fields = [
      line('mail', 'Mail address', 254, '', html`type="email" required`),
      choice('role', 'Role', roleNames, ofRoles),
    ]
    const lead = `They get a mail with a link, which works for ${invitationDays} days.`
    return { title: 'Invite somebody', lead, content: sheetForm(fields, 'Send invitation', settingsPath) }
  }
  screens
    .get(`${path}/new`, { permission }, () => inviteView({ typed: { role: 'editor' } }))
    .post(`${path}/new`, { permission, form: newForm }, async ({ c, db, session, form }) => {
      if (!form.isValid) return { ...inviteView(form), status: 422 }
      const { mail, role } = form.values
      if (!mailer) throw new ApiError('route_not_found', 'This stage sends no mail.')
      const made = await invite(db, session.organizationId, { mail, role, by: session.id })
      if (made.outcome !== 'invited') {
        return { ...inviteView({ ...form, faults: { mail: uninvited[made.outcome] } }), status: 422 }
      }
      const link = `${originOf(c.req)}${withQuery(invitationPath, { token: made.token })}`
      const text = `${session.name} invites you to ${session.organizationName} on Cuecard, as ${roles[role].name}.\n\nOpen this link within ${invitationDays} days to accept:\n\n${link}\n`
      await mailer.send({ to: mail, subject: `Join ${session.organizationName} on Cuecard`, text })
      return { redirect: settingsPath, flash: { text: `An invitation was sent to ${mail}.` } }
    })
    .get(`${path}/:personId`, { permission }, async ({ db, session, scope }) => {
      const [people, keys] = await Promise.all([
        listPeople(db, session.organizationId),
        listKeys(db, session.organizationId).execute(),
      ])
      const person = people.find(({ id }) => id === scope.personId)
      if (!person) throw new Gone()
      const made = {
        keys: madeWith(keys, person.id).flatMap(({ state, name }) => (state === 'active' ? name : [])),
        invitations: people.flatMap(({ invited_by, mail }) => (invited_by === person.id ? mail : [])),
      }
      return { title: person.mail, content: personView(person, person.id === session.id, made) }
    })
    .post(`${path}/:personId`, { permission, form: v.object({ role }) }, async ({ db, session, scope, form }) => {
      const { role } = valid(form)
      const outcome = await changeMember(db, session.organizationId, { id: scope.personId, role, by: session.id })
      return answerTo(outcome, `The role is now “${roles[role].title}”.`)
    })
    .post(`${path}/:personId/remove`, { permission, form: removal }, async ({ db, session, scope, form }) => {
      const change = { id: scope.personId, role: null, by: session.id, revoke: valid(form).revoke }
      const outcome = await changeMember(db, session.organizationId, change)
      return answerTo(outcome, 'The person was removed, and is signed out.')
    })
    .post(`${path}/:personId/withdraw`, { permission }, async ({ db, session, scope }) => {
      if (!(await withdrawInvitation(db, session.organizationId, { id: scope.personId, by: session.id })))
        throw new Gone()
      return { redirect: settingsPath, flash: { text: 'The invitation was withdrawn.' } }
    })
}

const ofRevoked =
  'Whatever uses a revoked key stops working within 30 seconds: a voice platform no longer gets answers. A key that stays goes on working.'
const uninvited = {
  member: 'This person is already here.',
  recent: 'This address was invited less than five minutes ago. Wait until then to invite it again.',
  limited: 'Your organization has sent 50 invitations today. Try again tomorrow.',
}

function answerTo(outcome: Awaited<ReturnType<typeof changeMember>>, text: string) {
  if (outcome === 'gone') throw new Gone()
  const lastOwner = 'Nothing was changed: an organization needs an owner. Make somebody else an owner first.'
  const flash = outcome === 'changed' ? { text } : { text: lastOwner, isError: true }
  return { redirect: settingsPath, flash }
}

/** @param made the names of active keys and the addresses of open invitations that the person has created */
function personView({ id, role, expires_at }: Person, isOwn: boolean, made: Record<Revocable, string[]>): Html {
  if (expires_at) {
    const says = html`<p>Invited as ${roles[role].name}. The link works until ${localDay(expires_at)}. For another role, invite this address again: that ends this link.</p>`
    return confirmView(says, 'Withdraw invitation', settingsPath, '', `${path}/${id}/withdraw`)
  }
  const says = html`<p>${isOwn ? 'You’ll be signed out within 30 seconds, and need a new invitation to come back.' : 'They’ll be signed out everywhere within 30 seconds, and so will the apps that they connected. What they wrote stays.'}</p>`
  const choices = revocable
    .filter((each) => made[each].length > 0)
    .map((each) => [each, `${each === 'keys' ? 'Keys' : 'Invitations'}: ${made[each].join(', ')}`] as const)
  const fields =
    choices.length > 0 &&
    fieldsOf({ chosen: { revoke: revocable } }).boxes('checkbox', 'revoke', 'Revoke, too', choices, ofRevoked)
  return html`${sheetForm(fieldsOf({ typed: { role } }).choice('role', 'Role', roleNames, ofRoles), 'Save role', settingsPath)}
<details class="developers"><summary>${isOwn ? 'Leave' : 'Remove'}</summary>${confirmView(says, isOwn ? 'Leave' : 'Remove', settingsPath, fields || '', `${path}/${id}/remove`)}</details>`
}

export function peopleList(people: Person[], session: Session): Html {
  const mayChange = session.person?.role === 'owner'
  return html`<section class="panel"><div class="head"><h2>People</h2>
${mayChange && html`<a class="button plain" href="${path}/new">Invite</a>`}</div>
${!session.person && html`<p class="hint">An owner who has signed in with a mail address can invite people.</p>`}
${people.length === 0 && html`<p class="hint">Nobody yet. Whoever runs Cuecard can add the first owner.</p>`}
<ul class="rows">${people.map(
    ({ id, mail, role, expires_at }) =>
      html`<li><div class="what"><p class="name">${mail}${id === session.id && html` <span class="state good">You</span>`}</p>
<p class="hint">${roles[role].title}${expires_at && html` · invited, until ${localDay(expires_at)}`}</p></div>
${mayChange && html`<a class="button quiet" href="${path}/${id}" aria-label="Change ${mail}">Change</a>`}</li>`,
  )}</ul></section>`
}
