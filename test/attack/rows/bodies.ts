import { deflateRawSync } from 'node:zlib'
import { type Row, rowsOf } from './row.ts'

const bytes = (hex: string) => Buffer.from(`${Buffer.from('{"title":"').toString('hex')}${hex}227d`, 'hex')
const noJson = '400 invalid_json'
const invalid = '422 validation_failed'
const tooLarge = '413 payload_too_large'
const replaced = '{"title":"a\ufffdb"}'
const ownReplacement = '{"titel":"a\ufffdb"}'
const length = (bytes: number) => ({ 'content-length': `${bytes}` })

const created: Row[] = [
  ...rowsOf((body: string) => ({ body }), {
    [noJson]: [
      ...String.raw`{"title":"T"}{"title":"T"} ¦ {"title":"T"}x ¦ {"title":"T",} ¦ {"title":"T"/* */} ¦ {'title':'T'} ¦
        {"title":NaN} ¦ {"title":01} ¦ {"title":"\x41"} ¦ title=T ¦ {"title":"a\u0000b"} ¦ {"a\u0000":1} ¦
        {"title":"\ud800"} ¦ {"title":"\udc00\ud800"}`.split(/\s*¦\s*/),
      ...['', ' \n\t', '{"title":"a\nb"}', '['.repeat(1_000_000), '{"a":'.repeat(500_000)],
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    ],
    [invalid]: [
      ...`null ¦ "T" ¦ [{"title":"T"}] ¦ {"title":"T","status":"completed"} ¦ {"title":1} ¦ {"title":{"$ne":null}} ¦
        {"title":"T","__proto__":{"isAdmin":true}} ¦ {"title":"T","constructor":{"prototype":{"isAdmin":true}}} ¦
        {"title":"T","organization_id":"0198a0b0-1111-7222-8333-444455556666"}`.split(/\s*¦\s*/),
      `[${'0,'.repeat(2_900_000)}0]`,
      `{${Array.from({ length: 400_000 }, (_, i) => `"${i}":0`).join()}}`,
      JSON.stringify({ title: ' \u00a0\u2003\u3000\ufeff\u2028' }),
      JSON.stringify({ title: '🚲'.repeat(501) }),
      JSON.stringify({ title: 'T', content: '\n\r\u2028\u2029' }),
    ],
    [tooLarge]: [
      `{"title":"${'x'.repeat(6_000_000)}"}`,
      `{"title":"${'\\n'.repeat(300_000)}","content":"${'x'.repeat(5_350_000)}"}`,
    ],
  }),
  // No UTF-8: a lone byte, an overlong slash and NUL, a surrogate, a code point beyond Unicode, half a character.
  ...rowsOf((hex: string) => ({ body: bytes(hex) }), { [noJson]: 'ff c0af c080 eda080 f4908080 e282'.split(' ') }),
  { of: 'UTF-16', body: Buffer.from('\ufeff{"title":"T"}', 'utf16le'), answer: noJson },
  { of: 'packed bytes', body: deflateRawSync('{"title":"T"}'), answer: noJson },
  { of: 'base64 that is none', body: '%%%', isBase64Encoded: true, answer: noJson },
  { of: 'a byte that a gateway replaced by U+FFFD', body: replaced, headers: length(15), answer: noJson },
  {
    of: 'U+FFFD of the sender’s own',
    body: ownReplacement,
    headers: length(Buffer.byteLength(ownReplacement)),
    answer: invalid,
  },
  { of: 'U+FFFD, sent in chunks', body: ownReplacement, answer: invalid },
]

export const bodies: Row[] = created.map((row) => ({ ...row, method: 'POST' }))
