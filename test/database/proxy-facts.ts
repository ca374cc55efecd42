export interface Question {
  body?: unknown
  headers?: Record<string, string>
  path?: string
  method?: string
  signal?: AbortSignal
  /** Changes the connection string. */
  as?: (url: URL) => void
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  body: any
}

export type Ask = (question: Question) => Promise<Answer>

/** Sends requests to Neon's proxy in the same way as its driver. */
export function askerOf(connectionString: string, endpoint?: string): Ask {
  const origin = endpoint ?? `https://${new URL(connectionString).hostname.replace(/^[^.]+/, 'api')}`
  return async ({ body, headers: more, path = '/sql', method = 'POST', signal, as }) => {
    const url = new URL(connectionString)
    as?.(url)
    const modes = { 'neon-raw-text-output': 'true', 'neon-array-mode': 'true' }
    const headers = { 'neon-connection-string': url.href, ...modes, ...more }
    const response = await fetch(origin + path, { method, headers, body: JSON.stringify(body), signal: signal ?? null })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
}

const one = (query: string, params: unknown[] = []) => ({ body: { query, params } })
const bytes = (count: number) => `select repeat('x', 1000000) from generate_series(1, ${count})`

/** Facts that Cuecard relies on, each with a harmless question that proves it. Sources: neondatabase/neon 6a35a3e, proxy/src/serverless. */
export const facts: readonly [fact: string, source: string, Question, holds: (answer: Answer) => boolean][] = [
  [
    'every route but POST /sql is 400',
    'mod.rs, request_handler',
    { ...one('select 1'), path: '/other' },
    ({ status, body }) => status === 400 && body === 'query is not supported',
  ],
  [
    'a wrong password is 400 without a code',
    'backend.rs, authenticate_with_password',
    { ...one('select 1'), as: (url) => Object.assign(url, { password: 'wrong' }) },
    ({ status, body }) =>
      status === 400 && body.code === '' && /^password authentication failed for/.test(body.message),
  ],
  [
    'options of the URL are dropped',
    'backend.rs, connect_to_compute',
    { ...one('show statement_timeout'), as: (url) => url.searchParams.set('options', '-c statement_timeout=1234ms') },
    ({ body }) => body.rows[0][0] !== '1234ms',
  ],
  [
    'a string holds one statement',
    'tokio-postgres2/src/query.rs, query_txt',
    one('select 1; select 2'),
    ({ status, body }) => status === 400 && body.code === '42601',
  ],
  [
    'an error of Postgres is 400 with 17 keys, null where Postgres has no value',
    'sql_over_http.rs, handle',
    one('select 1 / 0'),
    ({ status, body }) => status === 400 && Object.keys(body).length === 17 && body.detail === null,
  ],
  [
    'an unknown isolation level is 400',
    'sql_over_http.rs, HttpHeaders',
    { ...one('select 1'), headers: { 'neon-batch-isolation-level': 'Snapshot' } },
    ({ status }) => status === 400,
  ],
  [
    'a request over 10 MiB is 413',
    'http/mod.rs, read_body_with_limit',
    one('select 1', ['x'.repeat(10 * 1024 * 1024)]),
    ({ status, body }) => status === 413 && Object.keys(body).length === 17,
  ],
  [
    'an answer over 10 MiB, for a whole batch, is 507',
    'sql_over_http.rs, query_to_json',
    { body: { queries: [{ query: bytes(6) }, { query: bytes(6) }] } },
    ({ status, body }) => status === 507 && Object.keys(body).length === 17,
  ],
  [
    'rows are text, and a statement that counts nothing has no count',
    'sql_over_http.rs, query_to_json; json.rs',
    {
      body: {
        queries: [
          one(`select 1, 'NaN'::float8, '[0:1]={1,2}'::int[], true, null`).body,
          { query: 'set local jit to off' },
        ],
      },
    },
    ({ body: { results } }) =>
      JSON.stringify(results[0].rows) === '[["1","NaN","[0:1]={1,2}","t",null]]' &&
      Object.keys(results[0]).join() === 'fields,rows,command,rowCount,rowAsArray' &&
      results[0].rowCount === 1 &&
      Object.keys(results[0].fields[0]).length === 7 &&
      results[1].rowCount === null,
  ],
]
