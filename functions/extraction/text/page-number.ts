/** The limit keeps a long run from being read again from each of its places. */
const gap = '\\s{0,9}'
const pageWords = 'page|pg?|seite|s|blatt|folie|slide|página|pagina|pág|pag|sid[ae]|strona|str'

/** Removes the page's number from a line of a header or footer. @param page from 1 */
export function withoutPageNumber(text: string, page: number, pages: number): string {
  const count = `(?:${gap}(?:of|von|de|di|du|sur|av|af|z|/)${gap}${pages})?`
  const named = new RegExp(`\\b(?:${pageWords})\\b\\.?${gap}${page}\\b${count}`, 'iu')
  const unnamed = new RegExp(`(?:^|[\\s|·•–—(-])${page}${count}[\\s)–—-]*$`, 'u')
  return text
    .replace(named, '')
    .replace(unnamed, '')
    .replace(/^[\s|·•,–—-]+|(?<![\s|·•,–—-])[\s|·•,–—-]+$/gu, '')
}
