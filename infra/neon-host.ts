export type NeonHost = 'pooled' | 'direct'

/** Which of the two hosts of a Neon database a connection URL names; undefined for any other server. */
export function neonHostOf(url: string): NeonHost | undefined {
  const hostname = URL.parse(url)?.hostname
  if (!hostname?.endsWith('.neon.tech')) return undefined
  return hostname.split('.')[0]!.endsWith('-pooler') ? 'pooled' : 'direct'
}
