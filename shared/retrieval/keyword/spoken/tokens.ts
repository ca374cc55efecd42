import { type Language, type Lexicon, type Meaning, type Node, nothing, phrasesOf } from './language.ts'

/** A unit of reading: a word, a phrase, or a part of a word ("9am", "einundzwanzig"). */
export interface Token {
  from: number
  to: number
  starts: boolean
  ends: boolean
  text: string
  digits: string | undefined
  meaning: Meaning
  /** True for a word without a meaning in this language, as most are; no rule begins with one. */
  isPlain: boolean
}

/** A query as it is read in one language. */
export interface Speech {
  language: Language
  tokens: Token[]
}

export type Emit = (first: Token, last: Token, text: string) => void

const maxWordLength = 64
const maxParts = 12
const noPhrase: Phrase = { length: 0 }

interface Phrase {
  length: number
  meaning?: Meaning
}

/** Letters that may belong to a code, as opposed to the ordinary short words of all the languages. */
export function letterReader(languages: Language[]): (text: string) => Meaning | undefined {
  const ordinary = new Set(languages.flatMap((language) => phrasesOf(language.ordinary)))
  const endings = new Set(languages.flatMap((language) => phrasesOf(language.endings)))

  return function lettersOf(text) {
    if (text.length > 4 || !/^\p{Script=Latin}+$/u.test(text)) return undefined
    if (text.length === 1) return { letters: text, weight: ordinary.has(text) ? 0 : endings.has(text) ? 1 : 2 }
    const isCluster = text.length === 2 || !/[aeiouyäöüàâéèêëîïôùûœ]/.test(text)
    return isCluster && !ordinary.has(text) ? { letters: text, weight: 2 } : undefined
  }
}

/** Reads words in one language. */
export function tokensOf(words: string[], lexicon: Lexicon, lettersOf: (text: string) => Meaning | undefined): Token[] {
  const tokens: Token[] = []
  for (let from = 0, to = 0; from < words.length; from = to) {
    const phrase = longestPhrase(words, from, lexicon.root)
    to = from + Math.max(1, phrase.length)
    const word = words[from]!
    const parts = phrase.length === 0 ? partsOf(word, lexicon) : undefined
    if (parts) {
      parts.forEach((text, i) => {
        const digits = text < ':' ? text : undefined
        const meaning = digits === undefined ? meaningOf(text, lexicon.root.get(text)?.meaning, lettersOf) : nothing
        const isPlain = digits === undefined && meaning === nothing
        tokens.push({ from, to, starts: i === 0, ends: i === parts.length - 1, text, digits, meaning, isPlain })
      })
    } else if (!phrase.meaning?.filler) {
      const text = phrase.length > 1 ? words.slice(from, to).join(' ') : word
      const meaning = meaningOf(text, phrase.meaning, lettersOf)
      const isPlain = meaning === nothing
      tokens.push({ from, to, starts: true, ends: true, text, digits: undefined, meaning, isPlain })
    }
  }
  return tokens
}

function meaningOf(
  text: string,
  known: Meaning | undefined,
  lettersOf: (text: string) => Meaning | undefined,
): Meaning {
  if (text.length === 1) return known ? { ...known, ...lettersOf(text) } : (lettersOf(text) ?? nothing)
  // "a m" may be letters after all.
  if (known?.halfDay && text.length === 3) return { letters: text.replace(' ', ''), weight: 1, ...known }
  return known ?? lettersOf(text) ?? nothing
}

function longestPhrase(words: string[], at: number, root: Map<string, Node>): Phrase {
  let longest = noPhrase
  let next: Map<string, Node> | undefined = root
  for (let length = 1; next; length++) {
    const node: Node | undefined = next.get(words[at + length - 1] ?? '')
    if (node?.meaning) longest = { length, meaning: node.meaning }
    next = node?.next
  }
  return longest
}

/** A word of digits and letters ("k4471", "9am"), or a number written as one word ("zweihundertfünfzig"). */
function partsOf(word: string, { compoundPart }: Lexicon): string[] | undefined {
  if (/[0-9]/.test(word)) {
    const parts = word.match(/[0-9]+|[^0-9]+/g)!
    return parts.length <= maxParts ? parts : undefined
  }
  if (!compoundPart || word.length > maxWordLength) return undefined
  const parts: string[] = []
  compoundPart.lastIndex = 0
  // Takes the longest part and never goes back: linear, and right for German numbers.
  for (let match = compoundPart.exec(word); match; match = compoundPart.exec(word)) {
    parts.push(match[0])
    if (compoundPart.lastIndex === word.length) return parts
  }
  return undefined
}
