import * as v from 'valibot'
import { isLoopbackHost } from '../outbound/addresses.ts'

const maxUris = 10
const maxCharacters = 400
/** The reversed domain of an app's maker (RFC 8252, 7.1), or an MCP client's own scheme. Others may open a program of the system. */
const ofApps =
  /^([a-z][a-z\d-]*(\.[a-z\d][a-z\d-]*)+|claude|chatgpt|cursor|goose|jetbrains|kiro|lmstudio|raycast|trae|vscode(-insiders)?|vscodium|warp|windsurf|zed):$/
/** URL parsers accept hosts with characters that end a directive of a Content-Security-Policy. */
const host = /^([\w.-]+|\[[\da-f:]+\])$/

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && isLoopbackHost(hostname)

function isAllowed(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text.includes('#') || url.username || url.password || /[^\x21-\x7e]/.test(text)) return false
  if (url.protocol === 'https:' || url.protocol === 'http:')
    return host.test(url.hostname) && (url.protocol === 'https:' || isLoopback(url))
  return ofApps.test(url.protocol) && text.startsWith('/', url.protocol.length)
}

/** The addresses to which people return: https, this machine, or a scheme of the app's own such as `com.example.app:`. */
export const redirectUris = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(maxCharacters), v.check(isAllowed))),
  v.minLength(1),
  v.maxLength(maxUris),
)

/** True if the URI equals a registered one. On this machine any port is valid: programs take one that is free (RFC 8252). */
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
