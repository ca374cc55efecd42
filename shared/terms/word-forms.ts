const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
const undecomposed = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/** Lower case without diacritics: Wiśniewski and wisniewski are one word. Kana keep their marks. */
export function fold(word: string): string {
  const lower = word.toLowerCase()
  if (/^[a-z0-9]*$/.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(undecomposed, (letter) => letters[letter]!)
}

const vowel = /[aeiouy]/

/** A light stemmer for English, German and French at once, after Harman (1991) and Savoy (2006). @param word folded */
export function stem(word: string): string {
  if (word.length < 4) return word
  let stem = word.replace(/([aou])e(?=[^aeiou])/g, '$1')
  if (/[^sui]s$/.test(stem)) stem = stem.slice(0, -1)
  for (const [suffix, least] of suffixes) {
    if (!stem.endsWith(suffix) || stem.length - suffix.length < least) continue
    const rest = stem.slice(0, -suffix.length)
    if (!vowel.test(rest)) continue
    stem = /([^aeiouls])\1$/.test(rest) ? rest.slice(0, -1) : rest
    break
  }
  if (stem.length > 3 && stem.endsWith('e')) stem = stem.slice(0, -1)
  return stem.replace(/(?<=..)y$/, 'i')
}

const suffixes: [string, number][] = [
  ['ungen', 4],
  ['ung', 4],
  ['ing', 3],
  ['ern', 4],
  ['ed', 3],
  ['en', 4],
  ['em', 4],
  ['er', 4],
]
