import fc from 'fast-check'
import { text } from './valid.ts'

/** A request of a browser to the dashboard. */
export interface FormRequest {
  who: 'A' | 'B'
  /** `none` sends no cookie, and `stale` one that belongs to no session. */
  session: 'own' | 'none' | 'stale'
  method: string
  /** A path of the dashboard, with names in place of ids. */
  path: string
  query: [string, string][]
  fields: [string, string][]
  /** The raw body to send instead of the fields. */
  raw?: string
  type: string
  headers: Record<string, string>
}

export interface Screen {
  method: string
  path: string
  /** The fields of its form. */
  fields: string[]
}

const queryNames =
  'cursor after status live q query mode limit passage from seen text title to signed-out page question __proto__'

/** A tag, unless it is escaped. */
export const markup = '"><fuzz-tag a=\'`{{'

const value: fc.Arbitrary<string> = fc.oneof(
  text(0, 60),
  fc.constantFrom(
    ...'0 -1 1 3 999999999 1e9 true false on completed error hybrid semantic 30 never kb:read'.split(' '),
    ...'organization:write % %zz %00 __proto__ javascript:alert(1) //evil.example/dashboard'.split(' '),
    ...'prices.pdf ../../x.txt .txt a/b.csv x.exe 52428801 /dashboard/\\evil.example'.split(' '),
    ...['', ' ', markup, '\0', 'a\0b', '\r\nSet-Cookie: a=1', '\ud800', '\u202e'],
    ...['9'.repeat(30), 'x'.repeat(501), '🚲'.repeat(501), `${'n'.repeat(300)}.txt`],
  ),
  fc.constantFrom(
    ...'<mine.completed> <theirs.completed> <mine.agent> <theirs.agent> <never.id>'.split(' '),
    ...'<theirs.documentsCursor> <mine.documentsCursor> <mine.keyId> <theirs.keyId> <theirs.callId>'.split(' '),
  ),
)

/** A form as a browser sends it, with a key's permission, lifetime and so on. */
const sound: Record<string, fc.Arbitrary<string>> = {
  id: fc.constant('<never.id>'),
  days: fc.constantFrom('30', 'never'),
  permissions: fc.constantFrom('kb:read', 'organization:write'),
  name: fc.constantFrom('prices.txt', 'New key'),
  bytes: fc.constant('100'),
  on: fc.constantFrom('true', 'false'),
  title: fc.constant(`Title ${markup}`),
  content: fc.constant(`Some content ${markup}`),
  edits: fc.constantFrom('0', '1'),
}

const origin = 'https://app.example.com'
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

export function formRequest(screen: Screen): fc.Arbitrary<FormRequest> {
  const named = fc.constantFrom(...(screen.fields.length > 0 ? screen.fields : ['x']), 'extra', '__proto__', 'toString')
  const soundFields = fc.tuple(
    ...screen.fields.map((name) =>
      fc.tuple(fc.constant(name), fc.oneof({ weight: 4, arbitrary: sound[name] ?? value }, value)),
    ),
  )
  return fc.record({
    who: fc.constantFrom('A', 'B'),
    session: fc.constantFrom('own', 'own', 'own', 'own', 'none', 'stale'),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant(screen.method) },
      fc.constantFrom('POST', 'GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
    ),
    path: pathOf(screen.path),
    query: fc.oneof(
      fc.constant([]),
      fc.array(fc.tuple(fc.constantFrom(...queryNames.split(' ')), value), { maxLength: 3 }),
    ),
    fields: fc.oneof(soundFields, soundFields, fc.array(fc.tuple(named, value), { maxLength: 5 })),
    raw: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      fc.constantFrom(
        ...'&&& = % a=%zz {"title":"T"} title=%ff%fe&content=%c0%80'.split(' '),
        ...[`a=${'&a='.repeat(5000)}`, '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nT\r\n--b--'],
      ),
    ),
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constant('application/x-www-form-urlencoded') },
      fc.constantFrom(
        ...'text/plain application/json APPLICATION/X-WWW-FORM-URLENCODED'.split(' '),
        ...['', 'multipart/form-data; boundary=b', 'application/x-www-form-urlencoded; charset=utf-16'],
      ),
    ),
    headers: fc.oneof({ weight: 5, arbitrary: fc.constantFrom<object>(sameOrigin, { origin }) }, otherHeaders),
  }) as fc.Arbitrary<FormRequest>
}

/** Headers like those of another site's form, or of htmx. */
const otherHeaders = fc.constantFrom<object>(
  ...[{}, { origin: 'null' }, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }],
  { 'sec-fetch-site': 'same-site', origin },
  { ...sameOrigin, 'hx-request': 'true', 'hx-request-type': 'partial' },
  { ...sameOrigin, 'hx-request-type': 'partial', 'hx-current-url': 'https://evil.example/dashboard' },
  { ...sameOrigin, referer: 'javascript:alert(1)' },
  { ...sameOrigin, 'accept-language': '*'.repeat(500), 'accept-encoding': 'zstd' },
)

/** The ids of the path: mostly the sender's, else others, or something else. */
function pathOf(path: string): fc.Arbitrary<string> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const ids = fc.tuple(...names.map(idOf))
  return ids.map((values) => {
    let next = 0
    return path.replace('*', 'nowhere').replaceAll(/:\w+/g, () => values[next++]!)
  })
}

function idOf(name: string): fc.Arbitrary<string> {
  const own: Record<string, string[]> = {
    agentId: ['<mine.agent>', '<mine.agent>', '<mine.sibling>'],
    documentId: 'completed own file failed empty nephew deleted'.split(' ').map((document) => `<mine.${document}>`),
    callId: ['<mine.callId>'],
    keyId: ['<mine.keyId>'],
    goldenQuestionId: ['<mine.goldenQuestionId>'],
    file: ['dashboard.css', 'constructor', '..%2f..%2fapp.ts'],
  }
  const theirs = 'agent completed callId keyId goldenQuestionId'.split(' ').map((thing) => `<theirs.${thing}>`)
  const others = [...theirs, ...'<never.id> 0 %00 %2e%2e é %e0 %22%3E%3Cfuzz-tag'.split(' ')]
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(own[name] ?? ['0'])) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}
