import { type Row, rowsOf } from './row.ts'

type Headers = Record<string, string>

const header =
  (name: string, more: Partial<Row> = {}) =>
  (value: string) => ({ ...more, headers: { [name]: value } })
const create = { method: 'POST', body: '{"title":"T"}' }
const edit = { method: 'PATCH', path: 'DOC', body: '{"title":"T"}' }
const unsupported = '415 unsupported_media_type'
const invalid = '400 invalid_parameter'

export const headers: Row[] = [
  // The fifth invalid one has letters that look alike.
  ...rowsOf(header('x-api-key'), {
    '401 missing_api_key': [' \t '],
    '401 invalid_api_key': [
      ...[`cue_${'A'.repeat(9000)}`, 'cue_a\r\nx: y', 'cue_a\0', "cue_' or 1=1 --", 'сue_аbc', 'KEY,KEY'],
    ],
  }),
  ...rowsOf((more: Headers) => ({ headers: more }), {
    '200': [
      ...([{ __proto__x: '1', constructor: 'x' }, { 'x:y': '1' }, { 'x\r\ny': '1' }] as Headers[]),
      { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      { 'x-original-url': '/v1/organization', 'x-rewrite-url': '/admin' },
      { 'x-request-id': 'evil', 'x-amzn-trace-id': 'Root=evil' },
      ...([{ accept: 'application/xml, text/html;q=x' }, { 'accept-encoding': 'zstd;q=1, *;q=0' }] as Headers[]),
      { upgrade: 'h2c', connection: 'upgrade, http2-settings' },
    ],
  }),
  ...rowsOf((more: Headers) => ({ headers: more, path: 'DOC' }), {
    '200': [{ 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' }, { range: 'bytes=0-0,1-1' }],
    [invalid]: [{ 'if-none-match': '"' }],
  }),
  ...rowsOf((cookie: string) => ({ cookies: [cookie] }), { '200': ['a=1\r\nx: y', '=;=;漢\u0001'] }),
  ...rowsOf(header('idempotency-key', create), { [invalid]: ['k'.repeat(256), '', 'schlüssel', 'a\tb'] }),
  ...rowsOf(header('if-match', edit), {
    [invalid]: ['x', `"${'a'.repeat(9000)}`, `${' , '.repeat(3000)}"`],
    '412 precondition_failed': ['W/"1"', Array(300).fill('"0"').join()],
  }),
  ...rowsOf(header('content-type', create), {
    [unsupported]: [
      ...['', 'application/x-www-form-urlencoded', 'application/json; charset=utf-7', 'application/json, text/html'],
      `application/json;${' '.repeat(9000)}x`,
    ],
  }),
  ...rowsOf(header('content-encoding', create), { [unsupported]: ['gzip', 'identity, gzip'] }),
]
