import { html } from 'hono/html'
import { type Call, languages, variables } from './browser/samples.js'
import type { Parameter } from './document.ts'
import type { Html } from './markdown.ts'

interface Panel extends Call {
  parameters?: Parameter[]
}

/** A request in every language, with the fields to change it and the button to send it. browser/page.js adds the behaviour. */
export function requestPanel({ parameters = [], ...call }: Panel): Html {
  const names = new Set(Array.from(call.path.matchAll(variables), ([, name]) => name!))
  return html`<form class="call" data-call="${JSON.stringify(call)}" autocomplete="off">
<p class="line"><b class="method ${call.method}">${call.method}</b> <code>${code(call.path)}</code></p>
<div class="tabs script">${Object.entries(languages).map(
    ([language, { title }]) => html`<button type="button" data-language="${language}">${title}</button>`,
  )}<button type="button" class="copy">Copy</button></div>
${Object.entries(languages).map(
  ([language, { write }]) =>
    html`<pre data-language="${language}"${language !== 'curl' && ' hidden'}><code>${code(write(call))}</code></pre>`,
)}
<div class="try script">
<details><summary>Change the request</summary>
${[...names].map((name) => html`<label>${name} <input data-value="${name}" spellcheck="false"></label>`)}
${parameters.map((parameter) => parameterField(parameter, call.query?.[parameter.name]))}
${call.body === undefined ? '' : html`<label>Body <textarea class="body" rows="10" wrap="off" spellcheck="false">${json(call.body)}</textarea></label>`}
</details>
<button class="send">Send</button>
</div>
<div class="answer" role="status"></div>
</form>`
}

function parameterField({ name, in: place, schema }: Parameter, value = ''): Html {
  const kind = place === 'header' ? 'data-header' : 'data-query'
  return schema.enum
    ? html`<label>${name} <select ${kind}="${name}"><option></option>${schema.enum.map((value) => html`<option>${String(value)}</option>`)}</select></label>`
    : html`<label>${name} <input ${kind}="${name}" value="${value}" placeholder="${String(schema.default ?? '')}" spellcheck="false"></label>`
}

export function codeBlock(text: string): Html {
  return html`<div class="block"><button type="button" class="copy script">Copy</button><pre><code>${code(text)}</code></pre></div>`
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Marks the reader's values, which page.js fills in. */
function code(text: string): Html {
  return html`${text.split(variables).map((part, i) => (i % 2 ? html`<var title="${part}">$${part}</var>` : part))}`
}
