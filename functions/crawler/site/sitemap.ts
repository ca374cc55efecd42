import type { Client } from './client.ts'

export type Sitemap = { kind: 'sitemap'; addresses: string[] } | { kind: 'failed'; reason: string }

/** The canonical addresses on its host that a sitemap lists, itself or by further ones; at most 50,000. */
export function readSitemap(_client: Client, _address: string): Promise<Sitemap> {
  return Promise.resolve({ kind: 'sitemap', addresses: [] })
}
