import { readAddresses } from './addresses.ts'
import { readAmounts } from './amounts.ts'
import { readCodes } from './codes.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { lexiconOf } from './language.ts'
import { readTimes } from './times.ts'
import { type Emit, letterReader, tokensOf } from './tokens.ts'

export interface Reading {
  from: number
  to: number
  text: string
}

const languages = [english, german, french]
const lexicons = languages.map(lexiconOf)
const lettersOf = letterReader(languages)
const rules = [readCodes, readTimes, readAmounts, readAddresses]

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
  for (const lexicon of lexicons) {
    const speech = { language: lexicon.language, tokens: tokensOf(words, lexicon, lettersOf) }
    for (const read of rules) read(speech, emit)
  }
  const inOrder = [...found.values()].sort((a, b) => a.from - b.from || b.to - a.to)
  return withoutDigitsOfNumbers(inOrder).slice(0, maxReadings)
}

/** Drops a single digit that another language reads in a longer number: the "six" of English "four five six" is French too. */
function withoutDigitsOfNumbers(inOrder: Reading[]): Reading[] {
  let numberEnd = 0
  return inOrder.filter(({ from, to, text }) => {
    if (!/^[0-9]+$/.test(text)) return true
    if (text.length === 1) return to > numberEnd
    if (to - from > 1) numberEnd = Math.max(numberEnd, to)
    return true
  })
}
