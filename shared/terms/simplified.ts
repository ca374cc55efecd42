// @ts-expect-error The package declares no types for its lists.
import list from 'opencc-js/dict/TSCharacters'

/** Each traditional character, and the simplified one. Source: OpenCC. */
const simplified = new Map((list as string).split('|').map((pair) => pair.split(' ') as [string, string]))
const han = /\p{Script=Han}/gu

/** A question in simplified characters finds a text in traditional ones, and the other way round. */
export function withSimplifiedCharacters(word: string): string {
  return word.replace(han, (character) => simplified.get(character) ?? character)
}
