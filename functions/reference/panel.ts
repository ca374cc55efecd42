import { html } from 'hono/html'
import { partsOf } from './browser/highlight.js'
import { type Call, languages } from './browser/samples.js'
import type { Parameter } from './document.ts'
import type { Html } from './markdown.ts'

interface Panel extends Call {
  parameters?: Parameter[]
}

/** A request in every language, with the fields to change it and the button to send it. browser/panel.js adds the behaviour. */
export function requestPanel({ parameters = [], ...call }: Panel): Html {
  const names = [...new Set(call.path.match(/(?<=\$)[A-Z][A-Z_]*/g))]
  return html`<form class="call" aria-label="${call.method} ${call.path}" data-call="${JSON.stringify(call)}" autocomplete="off">
<p class="line"><b class="method ${call.method}">${call.method}</b> <code>${partsOf(call.path, '').map(({ kind, text }) => (kind ? html`<i>${text}</i>` : text))}</code></p>
<div class="tabs script">${Object.entries(languages).map(
    ([language, { title }]) => html`<button type="button" data-language="${language}">${title}</button>`,
  )}<button type="button" class="copy">Copy</button></div>
${Object.entries(languages).map(
  ([language, { write }]) => html`<pre data-language="${language}"><code>${code(write(call), language)}</code></pre>`,
)}
<div class="try script">
<details><summary>Change the request</summary>
${names.map((name) => html`<label>${name} <input data-value="${name}" spellcheck="false"></label>`)}
${parameters.map((parameter) => parameterField(parameter))}
${call.body === undefined ? '' : html`<label>Body <textarea class="body" rows="${lineCount(call.body)}" spellcheck="false">${json(call.body)}</textarea></label>`}
</details>
<button type="submit" class="send">Send</button>
</div>
<output class="answer"></output>
</form>`
}

function parameterField({ name, in: place, schema }: Parameter): Html {
  const kind = place === 'header' ? 'data-header' : 'data-query'
  return schema.enum
    ? html`<label>${name} <select ${kind}="${name}"><option></option>${schema.enum.map((value) => html`<option>${String(value)}</option>`)}</select></label>`
    : html`<label>${name} <input ${kind}="${name}" placeholder="${String(schema.default ?? '')}" spellcheck="false"></label>`
}

export function codeBlock(text: string, language: string): Html {
  return html`<div class="block"><button type="button" class="copy script">Copy</button><pre><code>${code(text, language)}</code></pre></div>`
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function code(text: string, language: string): Html[] {
  return partsOf(text, language).map(({ kind, text }): Html => {
    if (kind === 'value') return html`<var data-value="${text.slice(1)}">${text}</var>`
    return kind ? html`<span class="${kind}">${text}</span>` : html`${text}`
  })
}

function lineCount(value: unknown): number {
  return Math.min(json(value).split('\n').length, 14)
}
