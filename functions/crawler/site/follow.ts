import { OutboundRefused } from '../../../shared/outbound/addresses.ts'
import { OutboundFailed, type OutboundResponse, UnknownHost } from '../../../shared/outbound/request.ts'
import { canonical } from '../../../shared/websites/address.ts'
import { hostOf } from './address.ts'
import type { Client } from './client.ts'

export interface Followed {
  response: OutboundResponse
  /** The canonical form of the address to which the redirects led. */
  address: string
  /** True if every redirect was permanent. */
  isMoved: boolean
}
export type NotFollowed = { kind: 'left_out' | 'failed'; reason: string; isUnknownHost?: boolean }

interface FollowOptions {
  /** Sent with the first request only. */
  headers?: Record<string, string>
  maxBytes: number
  /** Decides whether a redirect to this address is followed. */
  allows?: (address: string) => boolean
}

const maxRedirects = 5

/** Follows redirects on the same host, and checks each as it did the first address. */
export async function follow(
  client: Client,
  start: string,
  { headers = {}, maxBytes, allows = () => true }: FollowOptions,
): Promise<Followed | NotFollowed> {
  const accept = { accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1' }
  const seen = new Set<string>()
  let [asked, address, isMoved] = [start, start, true]
  while (!seen.has(asked)) {
    const response = await answered(
      client.get(asked, { headers: { ...accept, ...(seen.size === 0 && headers) }, maxBytes }),
    )
    if ('kind' in response) return response
    const { location } = response.headers
    if (![301, 302, 303, 307, 308].includes(response.status) || !location) return { response, address, isMoved }
    seen.add(asked)
    const next = secure(URL.parse(location, asked)?.href ?? '', asked)
    const known = canonical(next)
    if (!known) return { kind: 'failed', reason: 'It redirects to what is not an address of a web page.' }
    if (hostOf(next) !== hostOf(start))
      return { kind: 'left_out', reason: `It redirects to another site: ${known}. Add a source for that address.` }
    if (!allows(known))
      return { kind: 'left_out', reason: `It redirects to ${known}, which is not part of this source.` }
    if (seen.size > maxRedirects) return { kind: 'failed', reason: 'It redirects more than 5 times.' }
    isMoved &&= response.status === 301 || response.status === 308
    // Requests the address as the site gave it: without its session, it may redirect in a circle.
    asked = next
    if (!addsParameters(known, address)) address = known
  }
  return { kind: 'failed', reason: 'It redirects in a circle, which some sites do without cookies.' }
}

/** True if an address only has parameters more: the page is the same, and a session differs at each look. */
function addsParameters(address: string, before: string): boolean {
  const [own, old] = [new URL(address), new URL(before)]
  const parameters = own.searchParams
  if (own.origin !== old.origin || own.pathname !== old.pathname || own.search === old.search) return false
  return old.searchParams.entries().every(([name, value]) => parameters.getAll(name).includes(value))
}

/** Uses `https:` if the page itself does. */
export function secure(address: string, page: string): string {
  return page.startsWith('https:') ? address.replace(/^http:/, 'https:') : address
}

async function answered(response: Promise<OutboundResponse>): Promise<OutboundResponse | NotFollowed> {
  try {
    return await response
  } catch (error) {
    if (error instanceof OutboundRefused) return { kind: 'left_out', reason: `Its address ${error.message}.` }
    if (error instanceof UnknownHost) return { kind: 'failed', reason: `${error.message}.`, isUnknownHost: true }
    if (error instanceof OutboundFailed) return { kind: 'failed', reason: `${error.message}.` }
    throw error
  }
}
