export interface Scope {
  kind: 'page' | 'sitemap' | 'site'
  url: string
  /** Paths with `*`, each for itself and what lies below it; without any, all. */
  include: readonly string[]
  exclude: readonly string[]
}

/** An address is a document's `external_id`. */
const maxLength = 255
const tracking =
  /^(utm_\w*|gclid|gclsrc|dclid|[gw]braid|gad_\w*|fbclid|msclkid|yclid|twclid|ttclid|igshid|srsltid|mc_[ce]id|_ga|_gl|_hs\w+|mtm_\w+|pk_\w+|phpsessid|jsessionid|aspsessionid\w*|session_?id|cfid|cftoken)=|^sid=.{16}/i

/** The one form of an address, at most 255 characters: without fragment, tracking and session; null for what is no address of a web page. */
export function canonical(address: string, base?: string): string | null {
  const url = URL.parse(address, base)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = plainEscapes(url.pathname.replace(/;jsessionid=[^/]*/i, ''))
  url.search = plainEscapes(url.search.slice(1))
    .split('&')
    .filter((part) => part && !tracking.test(part))
    .join('&')
  return url.href.length <= maxLength ? url.href : null
}

/** Without `www.`: who has one of the names has the other. */
export function hostOf(address: string): string {
  return new URL(address).host.replace(/^www\./, '')
}

/** Whether an address may become a document: same host (with or without `www.`), for a site below its path, and by the patterns. A source's own address is always looked at for links. */
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

/** Whether `pattern` is the path or a folder above it; `*` stands for any characters. */
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

/** `%7e` and `~` are the same, as are `%c3` and `%C3`. */
export function plainEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
  })
}
