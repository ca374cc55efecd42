import * as v from 'valibot'

const maxUris = 20
const maxCharacters = 2000
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/
/** What browsers run, open on the device or hand to another program. */
const never =
  /^(about|blob|content|data|file|filesystem|ftp|intent|jar|javascript|resource|vbscript|view-source|wss?):$/
/** A URL's parser lets hosts hold what ends a directive of a Content-Security-Policy. */
const host = /^([\w.-]+|\[[\da-f:]+\])$/

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && loopback.test(hostname)

function isAllowed(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text.includes('#') || url.username || url.password || /[^\x21-\x7e]/.test(text)) return false
  if (url.protocol === 'https:' || url.protocol === 'http:')
    return host.test(url.hostname) && (url.protocol === 'https:' || isLoopback(url))
  return /^[a-z][a-z\d+.-]*:\//i.test(text) && !never.test(url.protocol)
}

/** Where an app may be led back to: https, this machine, or a scheme of the app's own such as `cursor:`. */
export const redirectUris = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(maxCharacters), v.check(isAllowed))),
  v.minLength(1),
  v.maxLength(maxUris),
)

/** Whether it equals one of them; on this machine with any port, which programs take as it comes (RFC 8252). */
export function isRegistered(sent: string, registered: readonly string[]): boolean {
  if (registered.includes(sent)) return true
  const local = withoutPort(sent)
  return local !== undefined && !sent.includes('#') && registered.some((each) => withoutPort(each) === local)
}

function withoutPort(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !isLoopback(url)) return undefined
  url.port = ''
  return url.href
}
