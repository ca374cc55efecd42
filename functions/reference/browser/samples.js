/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path with `$NAME` for what the reader fills in
 * @property {Record<string, string>} [query]
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] sent as JSON
 * @property {boolean} [isPublic] needs no API key
 * @property {'json' | 'text' | 'none'} [response] the body of its response; `json` by default
 */

/** @type {Record<string, { title: string, write: (call: Call) => string }>} */
export const languages = {
  curl: { title: 'curl', write: curl },
  typescript: { title: 'TypeScript', write: typescript },
  python: { title: 'Python', write: python },
}

/** @param {Call} call */
export function urlOf({ path, query = {} }) {
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return search.length > 0 ? `${path}?${search.join('&')}` : path
}

/** @param {Call} call */
export function headersOf({ headers = {}, body, isPublic = false }) {
  return {
    ...(!isPublic && { 'X-API-Key': '$API_KEY' }),
    ...headers,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
}

/** @param {Call} call */
function curl(call) {
  const isPlain = call.method === 'GET' || (call.method === 'POST' && call.body !== undefined)
  const lines = [
    `curl ${isPlain ? '' : `-X ${call.method} `}"$BASE_URL${urlOf(call)}"`,
    ...Object.entries(headersOf(call)).map(
      ([name, value]) => `-H "${name}: ${value.replaceAll(/["\\`]|\$(?![A-Z])/g, '\\$&')}"`,
    ),
  ]
  if (call.body !== undefined) lines.push(`-d '${JSON.stringify(call.body, null, 2).replaceAll("'", `'\\''`)}'`)
  return lines.join(' \\\n  ')
}

/** @param {Call} call */
function typescript(call) {
  const options = [
    ...(call.method === 'GET' ? [] : [`method: "${call.method}",`]),
    ...headerLines('headers: ', call, typescriptStyle, '  '),
    ...(call.body === undefined ? [] : [`body: JSON.stringify(${literal(call.body, typescriptStyle, '  ')}),`]),
  ]
  const url = `"$BASE_URL${urlOf(call)}"`
  const fetching =
    options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n${options.map((line) => `  ${line}\n`).join('')}})`
  return [
    `const response = await ${fetching};`,
    `if (!response.ok) throw new Error(await response.text());`,
    ...{ json: ['console.log(await response.json());'], text: ['console.log(await response.text());'], none: [] }[
      call.response ?? 'json'
    ],
  ].join('\n')
}

/** @param {Call} call */
function python(call) {
  const lines = [
    `"$BASE_URL${urlOf(call)}",`,
    ...headerLines('headers=', call, pythonStyle, '    '),
    ...(call.body === undefined ? [] : [`json=${literal(call.body, pythonStyle, '    ')},`]),
    'timeout=10,',
  ]
  return [
    'import requests',
    '',
    `response = requests.${call.method.toLowerCase()}(`,
    ...lines.map((line) => `    ${line}`),
    ')',
    'response.raise_for_status()',
    ...{ json: ['print(response.json())'], text: ['print(response.text)'], none: [] }[call.response ?? 'json'],
  ].join('\n')
}

/**
 * @param {string} name
 * @param {Call} call
 * @param {typeof typescriptStyle} style
 * @param {string} margin
 */
function headerLines(name, call, style, margin) {
  const headers = headersOf(call)
  return Object.keys(headers).length === 0 ? [] : [`${name}${literal(headers, style, margin)},`]
}

const typescriptStyle = {
  indent: '  ',
  key: (/** @type {string} */ name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)),
  words: { true: 'true', false: 'false', null: 'null' },
}

const pythonStyle = {
  indent: '    ',
  key: (/** @type {string} */ name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
}

/**
 * @param {unknown} value
 * @param {typeof typescriptStyle} style
 * @param {string} margin
 * @returns {string}
 */
function literal(value, style, margin) {
  if (typeof value === 'object' && value !== null) {
    const inner = margin + style.indent
    const isList = Array.isArray(value)
    const items = isList
      ? value.map((item) => literal(item, style, inner))
      : Object.entries(value).map(([name, item]) => `${style.key(name)}: ${literal(item, style, inner)}`)
    const [open, close] = isList ? '[]' : '{}'
    return items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${margin}${close}`
  }
  if (typeof value === 'boolean' || value === null) return style.words[/** @type {'true'} */ (String(value))]
  return JSON.stringify(value)
}
