import ipaddr from 'ipaddr.js'

export interface AddressRule {
  /** True in the local stand: loopback addresses are allowed too, over http as well. */
  isLoopbackAllowed: boolean
}

/** An address that must not be called; the message tells people why. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
}

/** Names without a domain, and those that are reserved for one's own machine or network. */
const localName = /^[^.]*\.?$|\.(localhost|local|internal|localdomain|lan|home\.arpa|intranet|private|corp|home)\.?$/

/** True for this machine's own names. */
export const isLoopbackHost = (hostname: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Checks a URL before any look-up. `checkAddresses` follows, since a name may lead anywhere. */
export function isAllowedUrl(url: string, rule: AddressRule): boolean {
  try {
    parseAllowed(url, rule)
    return true
  } catch (error) {
    if (error instanceof OutboundRefused) return false
    throw error
  }
}

/** The fault of a URL that `isAllowedUrl` refuses, as the end of a sentence. */
export function urlFault(url: string, { isLoopbackAllowed }: AddressRule): string {
  if (/^https?:\/\//i.test(url)) return 'must be a public address that begins with https://'
  return `must begin with https://${isLoopbackAllowed ? ', or with http:// for an address of this machine' : ''}`
}

/** @throws OutboundRefused */
export function parseAllowed(text: string, rule: AddressRule): URL {
  const url = URL.parse(text)
  if (!url) throw new OutboundRefused('is not a URL')
  const address = literalOf(url)
  if (address) checkAddresses([address], rule)
  else if (localName.test(url.hostname)) throw new OutboundRefused('has a name that is never public')
  const isLoopback = rule.isLoopbackAllowed && address !== undefined && rangeOf(address) === 'loopback'
  if (url.protocol !== 'https:' && !(isLoopback && url.protocol === 'http:'))
    throw new OutboundRefused('must begin with https://')
  if (url.username || url.password) throw new OutboundRefused('must hold no user name and no password')
  // Services such as SSH and mail use ports below 1024, and no receiver does.
  const port = Number(url.port || 443)
  if (port !== 443 && port < 1024 && !isLoopback) throw new OutboundRefused('must have the port 443, or 1024 and above')
  return url
}

/** The IP address that a URL holds in place of a name; the URL parser has normalized its decimal, octal and hex forms. */
export function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(bare) ? bare : undefined
}

/** Requires every address of a name to be public, since a connection may take any of them. @throws OutboundRefused */
export function checkAddresses(addresses: string[], { isLoopbackAllowed }: AddressRule): void {
  for (const address of addresses) {
    const range = rangeOf(address)
    if (range === 'public' || (isLoopbackAllowed && range === 'loopback')) continue
    throw new OutboundRefused(`leads to ${address}, which is not a public address`)
  }
}

// Public IPv6 lies in 2000::/3 today; the rest is reserved, local or carries an IPv4 address within.
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

function rangeOf(text: string): 'public' | 'loopback' | 'other' {
  if (!ipaddr.isValid(text)) return 'other'
  const address = ipaddr.parse(text)
  const range = address.range()
  if (range === 'loopback') return 'loopback'
  if (range !== 'unicast') return 'other'
  return address instanceof ipaddr.IPv6 && !address.match(globalIpv6) ? 'other' : 'public'
}
