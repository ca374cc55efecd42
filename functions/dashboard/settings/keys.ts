import { html } from 'hono/html'
import * as v from 'valibot'
import { ApiError } from '../../../shared/http/errors.ts'
import { createKey, type Key, listKeys, madeWith, revokeKey } from '../../../shared/organizations/keys.ts'
import { permissions } from '../../../shared/organizations/permissions.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { Gone } from '../error-view.ts'
import { confirmView, copyView, fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { anyOf, line } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import { permissionNames } from '../permission-names.ts'
import { type Screens, valid } from '../screen.ts'
import { counted } from '../sentences.ts'
import { localDay } from '../times.ts'

const keysPath = `${settingsPath}/keys` as const
const maxName = 200

const permission = 'organization:write'
const periods = { '30': 30, '90': 90, '365': 365, never: Number.POSITIVE_INFINITY } as const
const periodNames = { 30: '30 days', 90: '90 days', 365: '1 year', never: 'Never' }
const newKeyForm = v.object({
  name: line(maxName, {
    missing: 'Enter a name, so that you’ll know later what the key is for.',
    tooLong: 'A name can have at most 200 characters.',
  }),
  permissions: anyOf(permissions, 'Choose at least one permission.'),
  days: v.picklist(['30', '90', '365', 'never'], 'Choose when it expires.'),
})

const revokeForm = v.object({ created: v.optional(v.literal('true')) })

export function addKeyRoutes(screens: Screens) {
  const newKey = (session: Session, sent: Sent = { chosen: { permissions: ['kb:read'] } }) => ({
    title: 'New key',
    lead: 'For a person or a program. You’ll see it only once, when it’s created.',
    content: keyForm(session, sent),
  })
  screens
    .get(`${keysPath}/new`, { permission }, ({ session }) => newKey(session))
    .post(`${keysPath}/new`, { permission, form: newKeyForm }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...newKey(session, form), status: 422 }
      const { name, permissions, days } = form.values
      const beyond = permissions.find((permission) => !session.permissions.includes(permission))
      if (beyond) throw new ApiError('missing_permission', beyond)
      const made = await createKey(db, session.organizationId, {
        name,
        permissions,
        expiresAt: earlier(session, periods[days]),
        [session.person ? 'createdByPerson' : 'createdBy']: session.id,
      })
      if (!made) throw new Gone()
      return { title: `Key “${name}”`, content: madeView(made.key) }
    })
    .get(`${keysPath}/:keyId/revoke`, { permission }, async ({ db, session, scope }) => {
      const keys = await listKeys(db, session.organizationId).execute()
      const key = keys.find(({ id, state }) => id === scope.keyId && state === 'active')
      if (!key) throw new Gone()
      const created = madeWith(keys, key.id).filter(({ state }) => state === 'active')
      const content = revokeView(key.id === session.id, created)
      return { title: `Revoke “${key.name}”?`, content }
    })
    .post(`${keysPath}/:keyId/revoke`, { permission, form: revokeForm }, async ({ db, session, scope, form }) => {
      const withCreated = valid(form).created === 'true'
      const revoked = await revokeKey(db, session.organizationId, scope.keyId, { withCreated })
      if (!revoked) throw new Gone()
      const more = withCreated ? revoked.created.length : 0
      const text = more > 0 ? `${more + 1} keys were revoked.` : `The key “${revoked.name}” was revoked.`
      return { redirect: settingsPath, flash: { text } }
    })
}

/** The chosen expiry, but no later than the creating key's. */
function earlier({ keyExpiresAt }: Session, days: number): Date | undefined {
  const chosen = Date.now() + days * 86_400_000
  const end = Math.min(chosen, keyExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(end) ? new Date(end) : undefined
}

/** A key can't have more permissions, or a later expiry, than the key that creates it. */
function keyForm(session: Session, { typed, faults, chosen }: Sent): Html {
  const { line, boxes, choice } = fieldsOf({ typed: { days: '365', ...typed }, faults, chosen })
  const { permissions, keyExpiresAt } = session
  const names = permissions.map((each) => [each, permissionNames[each]] as const)
  const ofPermissions = 'A key can’t have more permissions than your own. A voice platform needs only the first.'
  const ofDays = keyExpiresAt ? html`It expires no later than your own key, on ${localDay(keyExpiresAt)}` : ''
  const fields = [
    line('name', 'Name', maxName, 'Who or what uses it, such as “Phone at the front desk”.'),
    boxes('checkbox', 'permissions', 'Permissions', names, ofPermissions),
    choice('days', 'Expires after', Object.entries(periodNames), ofDays),
  ]
  return sheetForm(fields, 'Create key', settingsPath)
}

/** Shows a new key, which can't be shown again. */
function madeView(key: string): Html {
  return html`<section class="panel sheet"><p class="notice warn">${icon('alert')} Copy it now. It isn’t shown again.</p>
${copyView('key', key)}
<p class="hint">Treat it like a password. If you lose it, revoke it and create another.</p>
<p><a class="button" href="${settingsPath}">I’ve saved it</a></p></section>`
}

/** Explains what revoking a key stops, and offers to revoke the keys `created` with it, directly or indirectly. */
function revokeView(isOwn: boolean, created: readonly Key[]): Html {
  const says = html`<p>Whatever uses this key stops working within 30 seconds: a voice platform no longer gets answers, and anyone signed in with it is signed out. This can’t be undone.</p>
${isOwn && html`<p class="notice warn">You’re signed in with this key. You’ll be signed out and need another one to sign in again.</p>`}`
  const fields =
    created.length > 0 &&
    html`<fieldset class="field"><legend>This key created ${counted(created.length, 'other key')}</legend>
<ul>${created.map(({ name }) => html`<li>${name}</li>`)}</ul>
<label><input type="checkbox" name="created" value="true"><span>Revoke these, too. Do this if the key has leaked.</span></label></fieldset>`
  return confirmView(says, 'Revoke key', settingsPath, fields || '')
}

export function keyList(keys: Key[], mayChange: boolean, ownId: string): Html {
  const active = keys.filter(({ state }) => state === 'active')
  const ended = keys.filter(({ state }) => state !== 'active')
  return html`<section class="panel"><div class="head"><h2>Keys</h2>
${mayChange && html`<a class="button plain" href="${settingsPath}/keys/new">New key</a>`}</div>
<p class="hint">Voice platforms and other programs can do everything that this dashboard does, and more. Give each its own key. <a href="/v1/docs">API reference</a></p>
<ul class="rows">${active.map((key) => keyRow(key, mayChange, key.id === ownId))}</ul>
${
  ended.length > 0 &&
  html`<details><summary>${counted(ended.length, 'inactive key')}</summary>
<ul class="rows">${ended.map((key) => keyRow(key, false, false))}</ul></details>`
}</section>`
}

function keyRow(key: Key, mayChange: boolean, isOwn: boolean): Html {
  return html`<li><div class="what"><p class="name">${key.name}${isOwn ? html` <span class="state good">You’re signed in with this key</span>` : ''}</p>
<p class="hint">${
    permissions.every((each) => key.permissions.includes(each))
      ? 'All permissions'
      : key.permissions.map((each) => permissionNames[each]).join(' · ')
  }</p>
<p class="hint">Created ${localDay(key.created_at)}${key.creator && ` by ${key.creator}`} · ${keyEnd(key)}</p></div>
${mayChange && html`<a class="button quiet danger" href="${settingsPath}/keys/${key.id}/revoke" aria-label="Revoke ${key.name}">Revoke</a>`}</li>`
}

function keyEnd({ state, expires_at, revoked_at }: Key): Html {
  if (state === 'revoked' && revoked_at) return html`revoked ${localDay(revoked_at)}`
  if (!expires_at) return html`doesn’t expire`
  return html`${state === 'expired' ? 'expired' : 'expires'} ${localDay(expires_at)}`
}
