import { html } from 'hono/html'
import { type Chosen, type Faults, faultOf, invalid, shortened } from './forms.ts'
import type { Html } from './layout.ts'

/** A form's sent values and its faults. */
export interface Sent {
  typed?: Readonly<Record<string, string | undefined>> | undefined
  faults?: Faults | undefined
  chosen?: Chosen | undefined
}

type Hint = Html | string | false | undefined
type Choices = Iterable<readonly [value: string, name: string]>

/** Renders a form's fields, each with label, fault and hint. `max`: the most characters that a field shows and accepts. */
export function fieldsOf({ typed = {}, faults = {}, chosen = {} }: Sent) {
  const notes = (name: string, hint: Hint) =>
    html`${faultOf(name, faults[name])}${hint && html`<p id="${name}-hint" class="hint">${hint}</p>`}`
  const about = (name: string, hint: Hint) => {
    const ids = [faults[name] && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(' ')
    return html`id="${name}" name="${name}"${ids && html` aria-describedby="${ids}"`}${invalid(faults[name])}`
  }
  const field = (name: string, label: string, control: Html, hint: Hint) =>
    html`<div class="field"><label for="${name}">${label}</label>\n${control}${notes(name, hint)}</div>`
  const shown = (name: string, max: number) => shortened(typed[name] ?? '', max)

  return {
    /** @param more attributes of the input */
    line: (name: string, label: string, max: number, hint: Hint, more: Html | '' = html`required`) =>
      field(
        name,
        label,
        html`<input ${about(name, hint)} value="${shown(name, max)}" maxlength="${max}" ${more}>`,
        hint,
      ),
    area: (name: string, label: string, max: number, hint: Hint, more = html`rows="3"`) =>
      field(name, label, html`<textarea ${about(name, hint)} ${more}>\n${shown(name, max)}</textarea>`, hint),
    choice: (name: string, label: string, choices: Choices, hint?: Hint, more: Html | false = false) =>
      field(
        name,
        label,
        html`<select ${about(name, hint)} ${more}>${[...choices].map(([value, each]) => html`<option value="${value}"${value === typed[name] && html` selected`}>${each}</option>`)}</select>`,
        hint,
      ),
    boxes: (type: 'checkbox' | 'radio', name: string, legend: string, choices: Choices, hint?: Hint) =>
      html`<fieldset class="field"><legend>${legend}</legend>${[...choices].map(([value, each]) => html`<label><input type="${type}" name="${name}" value="${value}"${(chosen[name] ?? [typed[name]]).includes(value) && html` checked`}><span>${each}</span></label>`)}${notes(name, hint)}</fieldset>`,
  }
}

/** Shows a text with a button that copies it, if scripts run. */
export function copyView(id: string, text: string): Html {
  return html`<div class="notice"><code id="${id}">${text}</code>
<button type="button" class="plain" data-copy="${id}" data-copied="Copied" hidden>Copy</button></div>`
}

export function sheetForm(fields: Html | Html[], save: string, cancel: string): Html {
  return html`<form class="panel sheet" method="post" data-draft>${fields}
<div class="actions"><button>${save}</button> <a class="button plain" href="${cancel}">Cancel</a></div></form>`
}

/** Asks for confirmation before a permanent change. The form posts to `to`, or else to its own page. */
export function confirmView(says: Html, button: string, cancel: string, fields: Html | '' = '', to = ''): Html {
  return html`<section class="panel sheet">${says}
<form method="post"${to && html` action="${to}"`}>${fields}<div class="actions"><button class="danger">${button}</button> <a class="button plain" href="${cancel}">Cancel</a></div></form></section>`
}
