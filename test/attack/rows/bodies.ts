import { deflateRawSync } from 'node:zlib'
import type { Row } from './row.ts'

const bytes = (hex: string) => Buffer.from(`${Buffer.from('{"title":"').toString('hex')}${hex}227d`, 'hex')
const noJson = '400 invalid_json'
const invalid = '422 validation_failed'

const created: Omit<Row, 'method'>[] = [
  { of: 'nothing', body: '', answer: noJson },
  { of: 'white space', body: ' \n\t', answer: noJson },
  { of: 'two values', body: '{"title":"T"}{"title":"T"}', answer: noJson },
  { of: 'junk at the end', body: '{"title":"T"}x', answer: noJson },
  { of: 'a comma at the end', body: '{"title":"T",}', answer: noJson },
  { of: 'a comment', body: '{"title":"T"/* */}', answer: noJson },
  { of: 'single quotes', body: "{'title':'T'}", answer: noJson },
  { of: 'NaN', body: '{"title":NaN}', answer: noJson },
  { of: 'a number with a zero in front', body: '{"title":01}', answer: noJson },
  { of: 'a line break within a text', body: '{"title":"a\nb"}', answer: noJson },
  { of: 'a broken escape', body: '{"title":"\\x41"}', answer: noJson },
  { of: 'XML', body: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', answer: noJson },
  { of: 'a form', body: 'title=T', answer: noJson },
  { of: 'U+0000', body: '{"title":"a\\u0000b"}', answer: noJson },
  { of: 'U+0000 in a name', body: '{"a\\u0000":1}', answer: noJson },
  { of: 'a lone surrogate', body: '{"title":"\\ud800"}', answer: noJson },
  { of: 'surrogates the wrong way round', body: '{"title":"\\udc00\\ud800"}', answer: noJson },
  { of: 'a byte that is no UTF-8', body: bytes('ff'), answer: noJson },
  { of: 'an overlong slash', body: bytes('c0af'), answer: noJson },
  { of: 'an overlong NUL', body: bytes('c080'), answer: noJson },
  { of: 'a surrogate in UTF-8', body: bytes('eda080'), answer: noJson },
  { of: 'a code point beyond Unicode', body: bytes('f4908080'), answer: noJson },
  { of: 'a character that is cut off', body: bytes('e282'), answer: noJson },
  {
    of: 'a byte for which a gateway has put U+FFFD',
    body: '{"title":"a\ufffdb"}',
    headers: { 'content-length': String('{"title":"a?b"}'.length) },
    answer: noJson,
  },
  {
    of: 'U+FFFD of the sender’s own, and too little else',
    body: '{"titel":"a\ufffdb"}',
    headers: { 'content-length': String(Buffer.byteLength('{"titel":"a\ufffdb"}')) },
    answer: invalid,
  },
  { of: 'U+FFFD, sent in chunks', body: '{"titel":"a\ufffdb"}', answer: invalid },
  { of: 'UTF-16', body: Buffer.from('\ufeff{"title":"T"}', 'utf16le'), answer: noJson },
  { of: 'packed bytes', body: deflateRawSync('{"title":"T"}'), answer: noJson },
  { of: 'base64 that is none', body: '%%%', isBase64Encoded: true, answer: noJson },
  { of: 'a million levels', body: '['.repeat(1_000_000), answer: noJson },
  { of: 'half a million levels of objects', body: '{"a":'.repeat(500_000), answer: noJson },
  { of: 'three million numbers', body: `[${'0,'.repeat(2_900_000)}0]`, answer: invalid },
  {
    of: '400,000 names',
    body: `{${Array.from({ length: 400_000 }, (_, i) => `"${i}":0`).join()}}`,
    answer: invalid,
  },
  { of: 'too many bytes', body: `{"title":"${'x'.repeat(6_000_000)}"}`, answer: '413 payload_too_large' },
  {
    of: 'too many escapes',
    body: `{"title":"${'\\n'.repeat(300_000)}","content":"${'x'.repeat(5_350_000)}"}`,
    answer: '413 payload_too_large',
  },
  { of: 'null', body: 'null', answer: invalid },
  { of: 'a text', body: '"T"', answer: invalid },
  { of: 'an array', body: '[{"title":"T"}]', answer: invalid },
  { of: 'the prototype', body: '{"title":"T","__proto__":{"isAdmin":true}}', answer: invalid },
  { of: 'a constructor', body: '{"title":"T","constructor":{"prototype":{"isAdmin":true}}}', answer: invalid },
  {
    of: 'the id of another organization',
    body: '{"title":"T","organization_id":"0198a0b0-1111-7222-8333-444455556666"}',
    answer: invalid,
  },
  { of: 'a status of its own', body: '{"title":"T","status":"completed"}', answer: invalid },
  { of: 'a title that is a number', body: '{"title":1}', answer: invalid },
  { of: 'a title that is an operator', body: '{"title":{"$ne":null}}', answer: invalid },
  {
    of: 'a title of white space of all kinds',
    body: JSON.stringify({ title: ' \u00a0\u2003\u3000\ufeff\u2028' }),
    answer: invalid,
  },
  { of: 'a title of 501 characters', body: JSON.stringify({ title: '🚲'.repeat(501) }), answer: invalid },
  {
    of: 'a content of line breaks',
    body: JSON.stringify({ title: 'T', content: '\n\r\u2028\u2029' }),
    answer: invalid,
  },
]

export const bodies: Row[] = created.map((row) => ({ method: 'POST', ...row }))
