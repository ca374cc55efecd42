import { isIPv6 } from 'node:net'
import { BoundedMap } from '../bounded-map.ts'
import { leakyBucket, type Size } from '../limits/leaky-bucket.ts'
import { rateLimited } from './rate-limited.ts'

/** The limits of look-ups that find nothing, for one address, unless others are given, and for all addresses together. */
const usual: Size = { perSecond: 2, burst: 20 }
const overall = { perSecond: 100, burst: 1000 }
const maxAddresses = 10_000
const maxUnknown = 10_000
/** A credential that was not found counts as unknown for this long, without a look-up. */
const unknownMilliseconds = 10_000

/** Keeps made-up keys and session tokens from flooding the database. */
export function unknownCredentials(now: () => number, perAddress = usual) {
  const buckets = new BoundedMap<string, ReturnType<typeof leakyBucket>>(maxAddresses)
  const all = leakyBucket(now, overall)
  const unknown = new BoundedMap<string, number>(maxUnknown)
  const bucketOf = (address: string) => buckets.get(networkOf(address)) ?? leakyBucket(now, perAddress)

  /** Milliseconds until the address may cause a look-up; 0 if it may now. */
  const wait = (address: string) => Math.max(bucketOf(address).wait(), all.wait())

  return {
    wait,
    has: (credential: string) => (unknown.get(credential) ?? 0) > now(),
    add(credential: string, address: string): void {
      unknown.set(credential, now() + unknownMilliseconds)
      const bucket = bucketOf(address)
      buckets.set(networkOf(address), bucket)
      for (const each of [bucket, all]) each.take()
    },
    requireLookup(address: string): void {
      const milliseconds = wait(address)
      if (milliseconds === 0) return
      const { burst, perSecond } = perAddress
      const limit = { name: 'keys', quota: burst, windowSeconds: burst / perSecond } as const
      throw rateLimited(
        limit,
        milliseconds / 1000,
        'Your address sends too many unknown keys, so a new one has to wait.',
      )
    },
  }
}

/** The network of one customer: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [left = [], right = []] = address.split('::').map((groups) => groups.split(':').filter(Boolean))
  const zeros = Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
