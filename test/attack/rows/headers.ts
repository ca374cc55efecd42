import type { Row } from './row.ts'

const create = { method: 'POST', body: '{"title":"T"}' }
const edit = { method: 'PATCH', path: 'DOC', body: '{"title":"T"}' }
const unauthorized = '401 invalid_api_key'
const unsupported = '415 unsupported_media_type'
const invalid = '400 invalid_parameter'

export const headers: Row[] = [
  { of: 'a key of white space', headers: { 'x-api-key': ' \t ' }, answer: '401 missing_api_key' },
  { of: 'a key of 9,000 characters', headers: { 'x-api-key': `cue_${'A'.repeat(9000)}` }, answer: unauthorized },
  { of: 'a key with a line break', headers: { 'x-api-key': 'cue_a\r\nx: y' }, answer: unauthorized },
  { of: 'a key with NUL', headers: { 'x-api-key': 'cue_a\0' }, answer: unauthorized },
  { of: 'a key of letters that look alike', headers: { 'x-api-key': 'сue_аbc' }, answer: unauthorized },
  { of: 'SQL for a key', headers: { 'x-api-key': "cue_' or 1=1 --" }, answer: unauthorized },
  { of: 'two keys in one', headers: { 'x-api-key': 'KEY,KEY' }, answer: unauthorized },
  { of: 'the prototype for a name', headers: { __proto__x: '1', constructor: 'x' }, answer: '200' },
  { of: 'a name with a colon', headers: { 'x:y': '1' }, answer: '200' },
  { of: 'a name with a line break', headers: { 'x\r\ny': '1' }, answer: '200' },
  { of: 'a cookie with a line break', cookies: ['a=1\r\nx: y'], answer: '200' },
  { of: 'a cookie that is none', cookies: ['=;=;漢\u0001'], answer: '200' },
  {
    of: 'another method, for a proxy',
    headers: { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' },
    path: 'DOC',
    answer: '200',
  },
  { of: 'another host', headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' }, answer: '200' },
  {
    of: 'another path, for a proxy',
    headers: { 'x-original-url': '/v1/organization', 'x-rewrite-url': '/admin' },
    answer: '200',
  },
  { of: 'a request id of its own', headers: { 'x-request-id': 'evil', 'x-amzn-trace-id': 'Root=evil' }, answer: '200' },
  { of: 'a range', headers: { range: 'bytes=0-0,1-1' }, path: 'DOC', answer: '200' },
  { of: 'a media type that is not offered', headers: { accept: 'application/xml, text/html;q=x' }, answer: '200' },
  { of: 'an encoding that is not offered', headers: { 'accept-encoding': 'zstd;q=1, *;q=0' }, answer: '200' },
  { of: 'an upgrade', headers: { upgrade: 'h2c', connection: 'upgrade, http2-settings' }, answer: '200' },
  {
    of: 'an Idempotency-Key of 256 characters',
    ...create,
    headers: { 'idempotency-key': 'k'.repeat(256) },
    answer: invalid,
  },
  { of: 'an empty Idempotency-Key', ...create, headers: { 'idempotency-key': '' }, answer: invalid },
  {
    of: 'an Idempotency-Key that is not ASCII',
    ...create,
    headers: { 'idempotency-key': 'schlüssel' },
    answer: invalid,
  },
  { of: 'an Idempotency-Key with a tab', ...create, headers: { 'idempotency-key': 'a\tb' }, answer: invalid },
  { of: 'an If-Match that is no tag', ...edit, headers: { 'if-match': 'x' }, answer: invalid },
  { of: 'a weak If-Match', ...edit, headers: { 'if-match': 'W/"1"' }, answer: '412 precondition_failed' },
  {
    of: 'an If-Match of 300 tags',
    ...edit,
    headers: { 'if-match': Array(300).fill('"0"').join() },
    answer: '412 precondition_failed',
  },
  { of: 'an If-Match that never ends', ...edit, headers: { 'if-match': `"${'a'.repeat(9000)}` }, answer: invalid },
  { of: 'an If-Match of commas', ...edit, headers: { 'if-match': `${' , '.repeat(3000)}"` }, answer: invalid },
  { of: 'an If-None-Match of one quote', path: 'DOC', headers: { 'if-none-match': '"' }, answer: invalid },
  { of: 'no media type', ...create, headers: { 'content-type': '' }, answer: unsupported },
  { of: 'a form', ...create, headers: { 'content-type': 'application/x-www-form-urlencoded' }, answer: unsupported },
  {
    of: 'another charset',
    ...create,
    headers: { 'content-type': 'application/json; charset=utf-7' },
    answer: unsupported,
  },
  { of: 'two media types', ...create, headers: { 'content-type': 'application/json, text/html' }, answer: unsupported },
  {
    of: 'a media type of 9,000 spaces',
    ...create,
    headers: { 'content-type': `application/json;${' '.repeat(9000)}x` },
    answer: unsupported,
  },
  { of: 'a packed body', ...create, headers: { 'content-encoding': 'gzip' }, answer: unsupported },
  { of: 'two codings', ...create, headers: { 'content-encoding': 'identity, gzip' }, answer: unsupported },
]
