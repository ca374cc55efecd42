export type NeonHost = 'pooled' | 'direct'

/** The host of a Neon database that a connection URL names; undefined for any other server. */
export function neonHostOf(url: string): NeonHost | undefined {
  const hostname = URL.parse(url)?.hostname
  if (!hostname?.endsWith('.neon.tech')) return undefined
  return hostname.split('.')[0]!.endsWith('-pooler') ? 'pooled' : 'direct'
}
