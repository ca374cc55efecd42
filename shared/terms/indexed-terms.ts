import { normalForm } from '../text/normal-form.ts'
import { addressIn, addressTerm } from './addresses.ts'
import { maxFrequency, packTerms, type Terms } from './packed-terms.ts'
import { stopWords } from './stop-words.ts'
import { codesIn, keyOf, soundsOf, termsOf } from './terms.ts'
import { fold } from './word-forms.ts'
import { forEachWord, type Word } from './words.ts'

interface Term {
  key: number
  frequency: number
}

const maxCached = 50_000
const termsOfWords = new Map<string, readonly Term[]>()
const termOfKey = new Map<number, Term>()

/** The terms by which a text is found. @param context headings above the text */
export function indexedTerms(text: string, context: readonly string[] = []): Terms {
  if (termsOfWords.size > maxCached) forget()
  const found: Term[] = []
  const add = (term: Term) => {
    if (term.frequency++ === 0) found.push(term)
  }
  let length = 0
  for (const part of [...context, text]) {
    const normalized = normalForm(part)
    let joined: Pick<Word, 'text' | 'joint'>[] = []
    let isHead = false
    const addCodes = () => {
      if (joined.length < 2) return
      const terms = codesIn(joined).map(({ text }) => termWith(keyOf(text)))
      // A table's row is about the code that it begins with.
      const again = isHead ? [...terms, ...joined.flatMap(({ text }) => known(text))] : []
      for (const term of [...terms, ...again]) add(term)
    }
    forEachWord(normalized, (text, joint, start) => {
      if (!joint) {
        addCodes()
        joined = []
        isHead = headsRow(normalized, start)
      }
      joined.push({ text, joint })
      const terms = known(text)
      if (terms.length > 0) length++
      for (let i = 0; i < terms.length; i++) add(terms[i]!)
    })
    addCodes()
    if (addressIn(normalized) > 0) add(termWith(keyOf(addressTerm)))
  }
  const entries = found.map(({ key, frequency }) => [key, Math.min(maxFrequency, frequency)] as const)
  for (const term of found) term.frequency = 0
  return { length, entries: entries.sort(([one], [other]) => one - other) }
}

/** The terms of a chunk, packed. @param headings above it */
export function chunkTerms(content: string, headings?: readonly string[]): Buffer {
  return packTerms(indexedTerms(content, headings))
}

function known(word: string): readonly Term[] {
  let terms = termsOfWords.get(word)
  if (!terms) {
    terms = indexedTermsOf(word).map((term) => termWith(keyOf(term)))
    termsOfWords.set(word, terms)
  }
  return terms
}

export function indexedTermsOf(word: string): string[] {
  return [...termsOf(word), ...(isName(word) ? soundsOf(word) : [])]
}

function termWith(key: number): Term {
  let term = termOfKey.get(key)
  if (!term) {
    term = { key, frequency: 0 }
    termOfKey.set(key, term)
  }
  return term
}

function forget() {
  termsOfWords.clear()
  termOfKey.clear()
}

const space = 0x20
const asterisk = 0x2a
const lineFeed = 0x0a
const bar = 0x7c

function headsRow(text: string, start: number): boolean {
  let at = start - 1
  while (text.charCodeAt(at) === space || text.charCodeAt(at) === asterisk) at--
  return text.charCodeAt(at) === bar && (at === 0 || text.charCodeAt(at - 1) === lineFeed)
}

function isName(word: string): boolean {
  return word.length >= 3 && /^\p{Lu}/u.test(word) && !stopWords.has(fold(word))
}
