import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { Operation } from '../document.ts'
import { faulty } from './faulty.ts'
import { type FuzzRequest, type Kind, validRequest } from './request.ts'
import { text } from './valid.ts'

/** A request that nobody sends by accident. It may succeed; only the rules for every answer apply. */
export function hostileRequest(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const tricks: fc.Arbitrary<Partial<FuzzRequest>>[] = [
    fc.record({ path: trickyPath(operation) }),
    fc.record({ headers: trickyHeaders }),
    fc.record({ method: trickyMethod }),
    fc.record({ bytes: trickyBytes(fc.constant('{"title":"T"}')) }),
  ]
  if (operation.body) {
    const json = fc
      .oneof(faulty(operation.body), fc.constantFrom(...operation.examples))
      .map((body) => JSON.stringify(body) ?? '')
    const spoiled = fc.record({ bytes: trickyBytes(json) })
    tricks.push(spoiled, spoiled, fc.record({ bytes: trickyBytes(json), headers: trickyHeaders }))
  }
  return fc
    .tuple(validRequest(operation), fc.oneof(...tricks))
    .map(([request, trick]) => ({ ...request, ...trick, kind: 'hostile' satisfies Kind }))
}

const odd = fc.constantFrom(
  ...'/ // /. /.. %2f %00 %3f # ;a=1 é % %zz .json * {proxy+} 0 🚲 /../.. %252e%252e'.split(' '),
  ...['\0', '\r\n', '\t', ' ', '\\', '\ud800', '\u202e'],
)

/** A path as the gateway passes it on: decoded, except for parts that it could not decode. */
function trickyPath({ path }: Operation): fc.Arbitrary<string> {
  const filled = path
    .replace('{agentId}', '<mine.agent>')
    .replace('{documentId}', '<mine.completed>')
    .replace('{goldenQuestionId}', '<mine.golden>')
    .replace('{revision}', '1')
    .replace('{externalId}', '<mine.completed>')
    .replace('{sourceId}', '<mine.source>')
    .replace('{webhookId}', '<mine.webhook>')
    .replace('{deliveryId}', '<mine.delivery>')
  // A name from the world is one part.
  const parts = filled.match(/<[^>]+>|[^<]/g)!
  const inserted = fc.tuple(odd, fc.nat(parts.length)).map(([part, at]) => parts.toSpliced(at, 0, part).join(''))
  const elsewhere = fc.constantFrom(
    ...['/', '*', `/${filled}`, filled.toUpperCase(), `http://h${filled}`, filled.repeat(50)],
    ...'/v1/docs/assets/../../handler.ts /v1/docs/assets/constructor /v1/__proto__'.split(' '),
  )
  return fc.oneof(inserted, inserted, elsewhere)
}

const headerNames = fc.constantFrom(
  ...'content-type content-length content-encoding transfer-encoding host x-forwarded-for'.split(' '),
  ...'x-forwarded-proto x-forwarded-host x-http-method-override authorization x-api-key cookie origin'.split(' '),
  ...'accept accept-encoding range expect if-match if-none-match if-modified-since idempotency-key'.split(' '),
  ...'mcp-protocol-version mcp-session-id mcp-method last-event-id x-retell-signature x-amzn-trace-id'.split(' '),
  ...'x-request-id constructor ä hx-request sec-fetch-site access-control-request-method'.split(' '),
  ...['x y', 'a\r\nb'],
)
const headerValues = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\0', 'a\r\nx-evil: 1', '\u{10ffff}', '"'.repeat(2000), ','.repeat(2000), 'Basic YTpi'],
    ...'* null é 0 -1 NaN http://evil.example gzip chunked bytes=0- Bearer'.split(' '),
    ...'application/json;charset="utf-8 2025-06-18 1999-01-01 v=1,d=2'.split(' '),
  ),
  text(0, 60),
)
const trickyHeaders = fc.dictionary(headerNames, headerValues, { minKeys: 1, maxKeys: 4 })

const trickyMethod = fc.constantFrom(
  ...'PUT OPTIONS HEAD TRACE CONNECT get PROPFIND POST DELETE PATCH __proto__ ALL É'.split(' '),
  ...['', 'G E T', 'GET\r\n'],
)

type Bytes = string | Uint8Array

/** JSON that no serializer writes, invalid JSON, or bytes that are no text. */
function trickyBytes(json: fc.Arbitrary<string>): fc.Arbitrary<Bytes> {
  const inserted = fc.constantFrom(
    ...['"', '{', ']', ',', '/**/', '1e999', '\0', '\\', '\ufeff', '\ufffd', '\u2028', '\\u0000', '\\ud800'],
  )
  return fc.oneof(
    fc.tuple(json, fc.constantFrom(...rewrites)).map(([whole, rewrite]) => rewrite(whole)),
    fc.tuple(json, fc.nat(99)).map(([whole, percent]) => whole.slice(0, (whole.length * percent) / 100)),
    fc.tuple(json, fc.nat(99), inserted).map(([whole, percent, part]) => {
      const at = Math.floor((whole.length * percent) / 100)
      return whole.slice(0, at) + part + whole.slice(at)
    }),
    fc.uint8Array({ maxLength: 64 }),
  )
}

const rewrites: ((json: string) => Bytes)[] = [
  (json) => json.replace('{', `{"a":${'['.repeat(100_000)}`),
  (json) => json.replace('{', `{"a":${'['.repeat(127)}${']'.repeat(127)},`),
  (json) => '{"a":'.repeat(50_000) + json,
  (json) => json.replace('{', '{"__proto__":{"x":1},'),
  (json) => json.replace(/"(\w+)":/, '"$1":null,"$1":'),
  (json) => json.replace(/:("[^"]*"|\d+)/, ':1e999'),
  (json) => json.replace(/:("[^"]*"|\d+)/, `:${'9'.repeat(5000)}`),
  (json) => json.replace(/:("[^"]*"|\d+)/, ':-0.0000000000000000000000000000001e-400'),
  (json) => json.replace(/:("[^"]*"|\d+)/, ':NaN'),
  (json) => json + json,
  (json) => ` \n\t${json}\r\n`,
  (json) => `\ufeff${json}`,
  (json) => Buffer.from(json, 'utf16le'),
  (json) => Buffer.from(json, 'latin1'),
  (json) => gzipSync(json),
  (json) => Buffer.concat([Buffer.from(json), Buffer.from([0xff, 0xc0, 0x80])]),
  (json) => `${json.slice(0, -1)},"x":"${'y'.repeat(200_000)}"}`,
  () => `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":${i}`).join()}}`,
  (json) => `[${json}]`,
  () => '',
]
