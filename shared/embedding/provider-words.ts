const maxCharacters = 200
const maxUnits = 2000
const minKeyLength = 8
const keys = /\b(?:bearer\s+|[a-z]{2,4}[-_])[\w.*~+/=-]{8,}/gi
/** URLs, numeric addresses, hosts with a port, and dotted names that do not end in a digit as versions do. */
const addresses =
  /\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>()]+|\[[\da-f:.]+\](:\d+)?|(?<![\w:])[\da-f]{0,4}(:[\da-f]{0,4}){2,7}(?![\w:])|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b|(?<![\w.-])[\w.-]+(:\d{1,5}\b|\.[a-z]{2,63}\b)|\blocalhost\b/gi
/** A path has at least two segments: `tokens/min` is none. */
const paths = /(?<![\w/])([a-z]:)?([/\\][\w.@~+-]+){2,}[/\\]?/gi
const unprintable = /[\p{Cc}\p{Cs}\s]+/gu

/** The provider's message without anything like a key, an address or a path, at most 200 printable characters. */
export function safeWords(said: string, { apiKey, baseUrl }: { apiKey: string; baseUrl: string }): string | undefined {
  const words = said
    .replaceAll(apiKey.length < minKeyLength ? '\0' : apiKey, '…')
    .replaceAll(new URL(baseUrl).hostname, '…')
    .slice(0, maxUnits)
    .replaceAll(keys, (found) => (/^bearer\s|^[\w*-]*[\d*]/i.test(found) ? '…' : found))
    .replaceAll(addresses, '…')
    .replaceAll(paths, '…')
    .replaceAll(unprintable, ' ')
    .trim()
  return [...words.toWellFormed()].slice(0, maxCharacters).join('').replace(/\.$/, '') || undefined
}

const quotedLength = 16
const minTextLength = 6

/** True if the words repeat 16 characters of a text, or the whole of a short text. */
export function isQuoting(words: string, texts: string[]): boolean {
  const sought = texts.map((text) => text.replaceAll(unprintable, ' ').trim())
  if (sought.some((text) => text.length >= minTextLength && text.length < quotedLength && words.includes(text)))
    return true
  const all = sought.join('\n')
  for (let at = 0; at + quotedLength <= words.length; at++)
    if (all.includes(words.slice(at, at + quotedLength))) return true
  return false
}
