import { readAddresses } from './addresses.ts'
import { readAmounts } from './amounts.ts'
import { readCodes } from './codes.ts'
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { lexiconOf } from './language.ts'
import { spanish } from './spanish.ts'
import { readTimes } from './times.ts'
import { type Emit, letterReader, type Speech, tokensOf } from './tokens.ts'

export interface Reading {
  from: number
  to: number
  text: string
}

const languages = [english, german, french, spanish, italian, dutch]
const lexicons = languages.map(lexiconOf)
const lettersOf = letterReader(languages)
const rulesOfNumbers = [readCodes, readTimes, readAmounts]

export const maxReadings = 100

/**
 * Reads a recogniser's words as the codes, numbers, times, prices and addresses of documents ("k4471", "24.90"). Returns alternatives in
 * all languages, the longest first: inverse text normalization by grammars (Ebden & Sproat 2015), where no reading has to win.
 * @param words of a query, NFKC and lower case
 */
export function readings(words: string[]): Reading[] {
  const found = new Map<string, Reading>()

  const emit: Emit = (first, last, text) => {
    const { from } = first
    const { to } = last
    if (!first.starts || !last.ends || (to - from === 1 && text === words[from])) return
    found.set(`${from} ${to} ${text}`, { from, to, text })
  }
  const speeches = lexicons.map((lexicon) => ({
    language: lexicon.language,
    tokens: tokensOf(words, lexicon, lettersOf),
  }))
  // The "six" of English "four five six" is French too, so only languages that know the most numbers read the query.
  const known = speeches.map(numbersKnown)
  const most = Math.max(...known)
  for (const [i, speech] of speeches.entries()) {
    if (known[i] === most) for (const read of rulesOfNumbers) read(speech, emit)
    readAddresses(speech, emit)
  }
  return [...found.values()].sort((a, b) => a.from - b.from || b.to - a.to).slice(0, maxReadings)
}

function numbersKnown({ tokens }: Speech): number {
  return tokens.filter(({ meaning: { number, scale, unsure } }) => !unsure && (number ?? scale) !== undefined).length
}
