import { plainEscapes } from '../../../shared/websites/address.ts'

export interface Scope {
  kind: 'page' | 'sitemap' | 'site'
  url: string
  /** Paths with `*`, each for itself and the paths below it; an empty list allows all. */
  include: readonly string[]
  exclude: readonly string[]
}

/** The host without `www.`, since the owner of one name has the other. */
export function hostOf(address: string): string {
  return new URL(address).host.replace(/^www\./, '')
}

/** True if an address may become a document by its host (with or without `www.`), a site's path and the patterns. A website's own address is always read for links. */
export function inScope({ kind, url, include, exclude }: Scope, address: string): boolean {
  if (hostOf(url) !== hostOf(address)) return false
  if (kind === 'page') return true
  const { pathname, search } = new URL(address)
  const own = new URL(url).pathname
  const folder = own.slice(0, own.lastIndexOf('/') + 1)
  if (kind === 'site' && !covers(own.includes('.', folder.length) ? folder : own, pathname)) return false
  const isListed = (patterns: readonly string[]) => patterns.some((pattern) => covers(pattern, pathname + search))
  return (include.length === 0 || isListed(include)) && !isListed(exclude)
}

/** True if `pattern` is the path or a folder above it; `*` stands for any characters. */
function covers(pattern: string, path: string): boolean {
  const [first = '', ...rest] = plainEscapes(encodeURI(pattern).replaceAll('%25', '%'))
    .toLowerCase()
    .replace(/(?<=.)\/$/, '')
    .split('*')
  const text = path.toLowerCase()
  const isEnd = (at: number) => at === text.length || /[/?]/.test(text[at]!) || text[at - 1] === '/'
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1 && part !== ''
    let found = text.indexOf(part, at)
    while (isLast && found >= 0 && !isEnd(found + part.length)) found = text.indexOf(part, found + 1)
    if (found < 0) return false
    at = found + part.length
  }
  return rest.at(-1) === '' || isEnd(at)
}
