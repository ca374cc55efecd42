export interface Scope {
  kind: 'page' | 'sitemap' | 'site'
  url: string
  /** Paths with `*`, each for itself and what lies below it; without any, all. */
  include: readonly string[]
  exclude: readonly string[]
}

/** The one form of an address, at most 255 characters; null for what is no address of a web page. */
export function canonical(address: string, base?: string): string | null {
  const url = URL.parse(address, base)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return url.href.length <= 255 ? url.href : null
}

/** Whether an address may become a document: same host (with or without `www.`), and for a site below its path. The start page is always looked at for links. */
export function inScope(scope: Scope, address: string): boolean {
  const [start, url] = [URL.parse(scope.url), URL.parse(address)]
  return start?.host === url?.host
}
