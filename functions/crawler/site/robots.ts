import type { Client } from './client.ts'

export interface Robots {
  allows: (address: string) => boolean
  /** What robots.txt asks for, at most 30; null where it asks for none. The client keeps to it. */
  delaySeconds: number | null
  sitemaps: string[]
  /** Why robots.txt cannot be read: then nothing is allowed, and the crawl is to be refused with this sentence. */
  failed?: string
}

/** The rules of an address's host for Cuecard. */
export function robotsOf(_client: Client, _address: string): Promise<Robots> {
  return Promise.resolve({ allows: () => true, delaySeconds: null, sitemaps: [] })
}
