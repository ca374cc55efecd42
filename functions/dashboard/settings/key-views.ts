import { html } from 'hono/html'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { type Chosen, type Faults, faultOf, invalid, shortened } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import { counted } from '../sentences.ts'
import { localDay } from '../times.ts'
import { words } from '../words.ts'

const { keys: w } = words.settings

export const maxName = 200

export interface Filled {
  id: string
  typed?: Readonly<Record<string, string | undefined>>
  faults?: Faults
  chosen?: Chosen
}

/** No key may do more, or work longer, than the one it is made with. */
export function keyForm(
  { permissions, keyExpiresAt }: Session,
  { id, typed = {}, faults = {}, chosen = { permissions: ['kb:read'] } }: Filled,
): Html {
  return html`<form class="panel sheet" method="post" data-draft><input type="hidden" name="id" value="${id}">
<div class="field"><label for="name">Name</label>
<input id="name" name="name" value="${shortened(typed.name ?? '', maxName)}" maxlength="${maxName}" required aria-describedby="name-hint${faults.name ? ' name-fault' : ''}"${invalid(faults.name)}>
${faultOf('name', faults.name)}<p id="name-hint" class="hint">Who or what uses it, such as “Phone at the front desk”.</p></div>
<fieldset class="field"><legend>Permissions</legend>
${permissions.map(
  (permission) =>
    html`<label><input type="checkbox" name="permissions" value="${permission}"${chosen.permissions?.includes(permission) ? html` checked` : ''}><span>${words.permissions[permission]}</span></label>`,
)}
${faultOf('permissions', faults.permissions)}<p class="hint">A key can’t have more permissions than your own. A voice platform needs only the first.</p></fieldset>
<div class="field"><label for="days">Expires after</label>
<select id="days" name="days"${invalid(faults.days)}>${Object.entries(w.periods).map(
    ([days, period]) =>
      html`<option value="${days}"${days === (typed.days ?? '365') ? html` selected` : ''}>${period}</option>`,
  )}</select>
${faultOf('days', faults.days)}${keyExpiresAt ? html`<p class="hint">It expires with your own key at the latest, on ${localDay(keyExpiresAt)}</p>` : ''}</div>
<div class="actions"><button>Create key</button><a class="button plain" href="${settingsPath}">${words.cancel}</a></div></form>`
}

export function madeKey(key: string): Html {
  return html`<section class="panel sheet"><p class="notice warn">${icon('alert')} Copy it now. It isn’t stored, so it can’t be shown again.</p>
<div class="secret"><code id="key">${key}</code>
<button type="button" class="plain" data-copy="key" data-copied="Copied" hidden>Copy</button></div>
<p class="hint">Treat it like a password. If you lose it, revoke it and create another.</p>
<p><a class="button" href="${settingsPath}">I’ve saved it</a></p></section>`
}

interface Revocation {
  isOwn: boolean
  isLast: boolean
  /** The active keys that were made with it, and with those in turn. */
  created: readonly { name: string }[]
  back: string
}

/** Says before a key is revoked what stops then, and offers to revoke what was made with it. */
export function revokeQuestion({ isOwn, isLast, created, back }: Revocation): Html {
  return html`<section class="panel sheet"><p>Whatever uses this key stops working within 30 seconds: a voice platform no longer gets answers, and anyone signed in with it is signed out. This can’t be undone.</p>
${isOwn ? html`<p class="notice warn">You’re signed in with this key. You’ll be signed out and need another one to sign in again.</p>` : ''}
${isLast ? html`<p class="notice bad">No other key can change settings. After this, only whoever runs Cuecard can create one for you.</p>` : ''}
<form method="post">${
    created.length > 0
      ? html`<fieldset class="field"><legend>This key created ${counted(created.length, 'other key')}</legend>
<ul>${created.map(({ name }) => html`<li>${name}</li>`)}</ul>
<label><input type="checkbox" name="created" value="true"><span>Revoke these, too. Do this if the key has leaked.</span></label></fieldset>`
      : ''
  }<div class="actions"><button class="danger">Revoke key</button><a class="button plain" href="${back}">${words.cancel}</a></div></form></section>`
}
