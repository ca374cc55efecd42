/** An address is a document's `external_id`. */
const maxLength = 255
const tracking =
  /^(utm_\w*|gclid|gclsrc|dclid|[gw]braid|gad_\w*|fbclid|msclkid|yclid|twclid|ttclid|igshid|srsltid|mc_[ce]id|_ga|_gl|_hs\w+|mtm_\w+|pk_\w+|phpsessid|jsessionid|aspsessionid\w*|sess(?:ion)?(?:_?id)?|cfid|cftoken)=|^sid=.{16}/i

/** An address's canonical form of at most 255 characters, without fragment, tracking and session; null if it is not that of a web page. */
export function canonical(address: string, base?: string): string | null {
  const url = URL.parse(address, base)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = plainEscapes(url.pathname.replace(/;jsessionid=[^/]*/gi, ''))
  url.search = plainEscapes(url.search.slice(1))
    .split('&')
    .filter((part) => part && !tracking.test(part))
    .join('&')
  return url.href.length <= maxLength ? url.href : null
}

/** `%7e` and `~` are the same, as are `%c3` and `%C3`. */
export function plainEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
  })
}
