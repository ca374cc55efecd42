import { html } from 'hono/html'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { type Chosen, type Faults, faultOf, invalid, shortened } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
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
<div class="field"><label for="name">${w.name}</label>
<input id="name" name="name" value="${shortened(typed.name ?? '', maxName)}" maxlength="${maxName}" required aria-describedby="name-hint${faults.name ? ' name-fault' : ''}"${invalid(faults.name)}>
${faultOf('name', faults.name)}<p id="name-hint" class="hint">${w.nameHint}</p></div>
<fieldset class="field"><legend>${w.permissions}</legend>
${permissions.map(
  (permission) =>
    html`<label><input type="checkbox" name="permissions" value="${permission}"${chosen.permissions?.includes(permission) ? html` checked` : ''}><span>${words.permissions[permission]}</span></label>`,
)}
${faultOf('permissions', faults.permissions)}<p class="hint">${w.permissionsHint}</p></fieldset>
<div class="field"><label for="days">${w.expiry}</label>
<select id="days" name="days"${invalid(faults.days)}>${Object.entries(w.periods).map(
    ([days, period]) =>
      html`<option value="${days}"${days === (typed.days ?? '365') ? html` selected` : ''}>${period}</option>`,
  )}</select>
${faultOf('days', faults.days)}${keyExpiresAt ? html`<p class="hint">${w.expiryHint} ${localDay(keyExpiresAt)}</p>` : ''}</div>
<div class="actions"><button>${w.submit}</button><a class="button plain" href="${settingsPath}">${words.cancel}</a></div></form>`
}

export function madeKey(key: string): Html {
  return html`<section class="panel sheet"><p class="notice warn">${icon('alert')} ${w.once}</p>
<div class="secret"><code id="key">${key}</code>
<button type="button" class="plain" data-copy="key" data-copied="${words.copied}" hidden>${words.copy}</button></div>
<p class="hint">${w.onceHint}</p>
<p><a class="button" href="${settingsPath}">${w.saved}</a></p></section>`
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
  return html`<section class="panel sheet"><p>${w.revokeLead}</p>
${isOwn ? html`<p class="notice warn">${w.revokeOwn}</p>` : ''}
${isLast ? html`<p class="notice bad">${w.revokeLast}</p>` : ''}
<form method="post">${
    created.length > 0
      ? html`<fieldset class="field"><legend>${w.created(created.length)}</legend>
<ul>${created.map(({ name }) => html`<li>${name}</li>`)}</ul>
<label><input type="checkbox" name="created" value="true"><span>${w.revokeCreated}</span></label></fieldset>`
      : ''
  }<div class="actions"><button class="danger">${w.revokeSubmit}</button><a class="button plain" href="${back}">${words.cancel}</a></div></form></section>`
}
