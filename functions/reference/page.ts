import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Asset } from './asset.ts'

/** The page may load from this host and call this API only: a key typed into it cannot leak. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

export const page: Asset = {
  mediaType: 'text/html; charset=utf-8',
  headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cuecard API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<div id="reference">Loading the reference …</div>
<noscript>This page needs JavaScript; the document itself is <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js" type="module"></script>
</html>
`,
}

// Without HEAD, which would double the list.
const script = `const openApi = await (await fetch('openapi.json')).json()
for (const path of Object.values(openApi.paths)) delete path.head
SwaggerUIBundle({
  spec: openApi,
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  displayRequestDuration: true,
  syntaxHighlight: { activated: false },
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

const style = `body { margin: 0; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .servers-title, .swagger-ui .servers { display: none; }
.swagger-ui .info .title small { position: static; vertical-align: middle; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 8px; }
  .swagger-ui .scheme-container { padding: 12px 0; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 64px; font-size: 12px; }
  .swagger-ui .opblock .opblock-summary-path { max-width: calc(100vw - 150px); font-size: 13px; }
  .swagger-ui .opblock-description-wrapper, .swagger-ui .opblock-section-header { padding: 8px; }
  .swagger-ui .table-container { padding: 8px; }
  .swagger-ui table.parameters tr, .swagger-ui table.parameters td { display: block; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { width: 100%; max-width: none; }
  .swagger-ui .responses-inner { padding: 8px; }
  .swagger-ui .responses-table, .swagger-ui .responses-table tbody, .swagger-ui .responses-table tr, .swagger-ui .responses-table td { display: block; }
  .swagger-ui .responses-table thead { display: none; }
  .swagger-ui .highlight-code, .swagger-ui pre.microlight { max-width: calc(100vw - 48px); overflow-x: auto; }
  .swagger-ui .dialog-ux .modal-ux { width: calc(100vw - 16px); min-width: 0; }
}
`

/** Files of the `swagger-ui-dist` package; infra/wiring.ts has them deployed next to the bundle. */
const packaged = { 'swagger-ui-bundle.js': 'text/javascript', 'swagger-ui.css': 'text/css' }

export const pageFiles: Record<string, () => Asset> = {
  'page.js': () => ({ mediaType: 'text/javascript; charset=utf-8', body: script }),
  'page.css': () => ({ mediaType: 'text/css; charset=utf-8', body: style }),
  ...Object.fromEntries(
    Object.entries(packaged).map(([file, mediaType]) => [
      file,
      () => ({ mediaType: `${mediaType}; charset=utf-8`, body: readPackaged(file) }),
    ]),
  ),
}

function readPackaged(file: string): string {
  const { resolve } = createRequire(import.meta.url)
  return readFileSync(resolve(`swagger-ui-dist/${file}`), 'utf8')
}
