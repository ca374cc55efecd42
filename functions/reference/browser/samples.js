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
  const headers = headersOf(call)
  const options = [
    ...(call.method === 'GET' ? [] : [`  method: "${call.method}",\n`]),
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${literal(headers, '  ')},\n`]),
    ...(call.body === undefined ? [] : [`  body: JSON.stringify(${literal(call.body, '  ')}),\n`]),
  ]
  const print = {
    json: ['console.log(await response.json());'],
    text: ['console.log(await response.text());'],
    none: [],
  }
  return [
    `const response = await fetch("$BASE_URL${urlOf(call)}"${options.length === 0 ? '' : `, {\n${options.join('')}}`});`,
    'if (!response.ok) throw new Error(await response.text());',
    ...print[call.response ?? 'json'],
  ].join('\n')
}

/** @param {Call} call */
function python(call) {
  const headers = headersOf(call)
  const print = { json: ['print(response.json())'], text: ['print(response.text)'], none: [] }
  return [
    'import requests',
    '',
    `response = requests.${call.method.toLowerCase()}(`,
    `    "$BASE_URL${urlOf(call)}",`,
    ...(Object.keys(headers).length === 0 ? [] : [`    headers=${literal(headers, '    ')},`]),
    ...(call.body === undefined ? [] : [`    json=${inPython(literal(call.body, '    '))},`]),
    '    timeout=10,',
    ')',
    'response.raise_for_status()',
    ...print[call.response ?? 'json'],
  ].join('\n')
}

/** JSON, which both languages read but for three words. @type {(value: unknown, margin: string) => string} */
function literal(value, margin) {
  return JSON.stringify(value, null, margin).replaceAll('\n', `\n${margin}`)
}

/** @type {Record<string, string>} */
const pythonWords = { true: 'True', false: 'False', null: 'None' }

/** @param {string} json */
function inPython(json) {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) => pythonWords[token] ?? token)
}
