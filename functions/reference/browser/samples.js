/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path with `$NAME` for the values that the reader fills in
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

/** The reader's values, such as `$API_KEY`. */
export const variables = /\$([A-Z][A-Z_]*)/g

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
  const { method, body } = call
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined)
  const lines = [
    `curl ${isPlain ? '' : `-X ${method} `}"$BASE_URL${urlOf(call)}"`,
    ...Object.entries(headersOf(call)).map(
      ([name, value]) => `-H "${name}: ${value.replaceAll(/["\\`]|\$(?![A-Z])/g, '\\$&')}"`,
    ),
  ]
  if (body !== undefined) lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`)
  return lines.join(' \\\n  ')
}

/** @param {Call} call */
function typescript(call) {
  const { method, body, response = 'json' } = call
  const headers = literal(headersOf(call), '  ')
  const options = [
    ...(method === 'GET' ? [] : [`  method: "${method}",\n`]),
    ...(headers === '{}' ? [] : [`  headers: ${headers},\n`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, '  ')}),\n`]),
  ].join('')
  return [
    `const response = await fetch("$BASE_URL${urlOf(call)}"${options && `, {\n${options}}`});`,
    'if (!response.ok) throw new Error(await response.text());',
    ...(response === 'none' ? [] : [`console.log(await response.${response}());`]),
  ].join('\n')
}

/** @param {Call} call */
function python(call) {
  const { method, body, response = 'json' } = call
  const headers = literal(headersOf(call), '    ')
  return [
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "$BASE_URL${urlOf(call)}",`,
    ...(headers === '{}' ? [] : [`    headers=${headers},`]),
    ...(body === undefined ? [] : [`    json=${inPython(literal(body, '    '))},`]),
    '    timeout=10,',
    ')',
    'response.raise_for_status()',
    ...{ json: ['print(response.json())'], text: ['print(response.text)'], none: [] }[response],
  ].join('\n')
}

/** JSON, which both languages read except for three words. @type {(value: unknown, margin: string) => string} */
function literal(value, margin) {
  return JSON.stringify(value, null, margin).replaceAll('\n', `\n${margin}`)
}

/** @type {Record<string, string>} */
const pythonWords = { true: 'True', false: 'False', null: 'None' }

/** @param {string} json */
function inPython(json) {
  return json.replaceAll(/"(?:[^"\\]|\\.?)*(?:"|$)|\b(?:true|false|null)\b/gs, (token) => pythonWords[token] ?? token)
}
