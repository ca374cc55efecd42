import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from 'hono/html'
import type { Asset } from '../../shared/http/asset.ts'
import { hashedFiles } from '../../shared/http/hashed-files.ts'
import { endpointsOf, exampleOf, type OpenApi } from './document.ts'
import { type Guide, guide } from './guide.ts'
import { blocks, type Html, inline } from './markdown.ts'
import { operationSection } from './operation.ts'
import { codeBlock, json } from './panel.ts'
import { foldedFields } from './schema.ts'

/** The folders are deployed beside the bundle, too: see infra/wiring.ts. */
const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
export const pageFiles = hashedFiles(['page.css', 'page.js', 'samples.js'], (name) => read('browser', name))

/** The page may only load from this host, run its scripts and call this API, so that a key typed into it cannot leak. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
].join('; ')

/** The guides of the folder `guides`, in the order of their names, which begin with a number: `10-vapi.md`. */
function readGuides(openApi: OpenApi): Guide[] {
  return readdirSync(join(import.meta.dirname, 'guides'))
    .sort()
    .map((name) => guide(name.replaceAll(/^\d+-|\.md$/g, ''), read('guides', name), openApi))
}

/** The whole reference as one page, readable without JavaScript. */
export function renderPage(document: string): Asset {
  const openApi = JSON.parse(document) as OpenApi
  const { title, description } = openApi.info
  const endpoints = endpointsOf(openApi)
  const sections = openApi.tags
    .map((tag) => ({ ...tag, endpoints: endpoints.filter(({ tags }) => tags.includes(tag.name)) }))
    .filter((section) => section.endpoints.length > 0)
  const [lead = '', ...rest] = description.split('\n\n')
  const conventions = { id: 'conventions', title: 'Conventions', body: conventionsOf(openApi, rest.join('\n\n')) }
  const guides = [...readGuides(openApi), conventions]
  const address = (name: string) => `docs/${pageFiles.nameOf(name)}`

  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${address('page.css')}">
<link rel="modulepreload" href="${address('samples.js')}">
<script type="module" src="${address('page.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" id="menu" popovertarget="contents">Menu</button>
<a class="brand" href="#content">${title} API</a>
<button type="button" id="open-values" class="script">Set key and agent</button>
<button type="button" class="forget script" hidden>Forget</button>
</header>
<nav id="contents" aria-label="Contents" popover>
<p class="quiet">Guides</p><ul>${guides.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${sections.map(
  ({ name, endpoints }) =>
    html`<p class="quiet">${name}</p><ul>${endpoints.map(
      ({ operationId, summary, method }) =>
        html`<li><a href="#${operationId}">${summary} <b class="method ${method}">${method === 'DELETE' ? 'DEL' : method}</b></a></li>`,
    )}</ul>`,
)}
<p class="quiet">Machine-readable</p><ul><li><a href="openapi.json">openapi.json</a></li></ul>
</nav>
<main id="content" tabindex="-1">
<h1>${title} API reference</h1>
<p class="lead">${inline(lead)} To work without code, open the <a href="../dashboard">dashboard</a>.</p>
<noscript><p>Without JavaScript this page is for reading: your own values in the samples and sending requests need it. The document itself is <a href="openapi.json">openapi.json</a>.</p></noscript>
${guides.map(({ id, body }) => html`<section class="guide" id="${id}">${body}</section>`)}
${sections.map(
  ({ name, description, endpoints }) => html`<section class="tag" id="tag-${name.toLowerCase().replaceAll(' ', '-')}">
<h2>${name}</h2><p>${description}</p>
${endpoints.map((endpoint) => operationSection(openApi, endpoint))}</section>`,
)}
</main>
<dialog id="values" aria-labelledby="values-title" closedby="any"><form method="dialog" autocomplete="off">
<strong id="values-title">Your key and agent</strong>
<p>They fill in the samples and the requests that you send from this page. They stay in this tab, until you close it or choose Forget.</p>
<label>API key <input data-value="API_KEY" placeholder="cue_…" spellcheck="false" autofocus></label>
<label>Agent id <input data-value="AGENT_ID" placeholder="a uuid" spellcheck="false"></label>
<button type="button" class="forget">Forget</button> <button class="send">Done</button>
</form></dialog>
</body>
</html>
`
  return {
    mediaType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
    body: String(body),
  }
}

function conventionsOf(openApi: OpenApi, markdown: string): Html {
  const { schemas, responses } = openApi.components
  const example = exampleOf(responses.ValidationFailed?.content?.['application/problem+json'])
  return html`<h2>Conventions</h2>${blocks(markdown)}
${example !== undefined && html`<p class="quiet">Example of an error</p>${codeBlock(json(example))}`}
${schemas.Problem && foldedFields(openApi, schemas.Problem, 'Fields of an error', 'returned')}`
}
