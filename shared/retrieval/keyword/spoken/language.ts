/**
 * A language's words for codes, numbers, times and prices. Lists hold lower-case words or phrases with `, ` between them;
 * apostrophes and hyphens stand as spaces, as between the words of a query. Umlauts and accents are read with and without.
 */
export interface Language {
  /** 0 to 19, the tens and what has a word of its own ("veintidós", "quinientos"): the value, then its words. */
  numbers: Record<number, string>
  /** Words that mean something else too, also in another language ("oh", "once", "due"): numbers beside other digits only. */
  unsureNumbers?: Record<number, string>
  /** 100, 1000, 1000000. */
  scales: Record<number, string>
  /** "a hundred", "ein Euro": one before a scale, a currency and "o'clock", and an article elsewhere. The first builds compounds. */
  one: string
  /** Like `one`, but a digit of its own after other digits (French "un"). */
  articleOne?: string
  ordinals: Record<number, string>
  and: string
  /** "einundzwanzig": the unit, `and`, the tens. */
  unitsFirst?: boolean
  /** `and` between tens and units: before a final one or eleven ("vingt et un"), or always ("treinta y dos"). */
  andInTens?: 'before one' | 'always'
  /** Tens that 10 to 19 may follow: 60 and 80 in French. */
  wideTens?: number[]
  /** "hundred" by itself is 100. French "cent" is so only before a currency, because of the English coin. */
  bareScales?: boolean
  /** A number is one written word: "zweihundertfünfzig". */
  compounds?: boolean
  /** 2, 3: "double", "triple". */
  repeats: Record<number, string>
  /** Letters by names that hardly mean anything else. */
  letters: Record<string, string>
  /** Spelling alphabets. A single name is a person or a place; two in a row, or one before three digits, are letters. */
  alphabets: Record<string, string>
  /** Ordinary words that sound like a letter: letters only beside surer ones or before three digits. */
  homophones: Record<string, string>
  /** `- / _ . , + @`. */
  signs: Record<string, string>
  /** "k as in kilo". */
  like: string
  /** Marks between euros and cents, as this language's price lists print them. */
  marks: string[]
  currencies: string
  cents: string
  half: string
  /** Minutes added to the hour that follows: "half past" 30, "halb" -30. */
  beforeHour: Record<number, string>
  /** Minutes added to the hour before: "et demie" 30. */
  afterHour: Record<number, string>
  /** 1 and -1: "ten past nine", "ten to nine". */
  minutesFrom: Record<number, string>
  clock: string
  am: string
  pm: string
  namedTimes: Record<string, string>
  fillers: string
  /** Words of one letter or two that are no part of a code unless surer parts stand beside them. */
  ordinary: string
  /** Letters that an apostrophe cuts off a word: "it's". */
  endings: string
}

/** The meanings of a word or phrase in one language, several at once ("o": a letter and zero). */
export interface Meaning {
  number?: number
  unsure?: boolean
  article?: boolean
  ordinal?: boolean
  scale?: number
  one?: boolean
  and?: boolean
  repeat?: number
  letters?: string
  /** How sure it is that letters are meant: 2 certainly, 1 beside others, 0 an ordinary word. */
  weight?: number
  sign?: string
  like?: boolean
  currency?: boolean
  cents?: boolean
  half?: boolean
  beforeHour?: number
  afterHour?: number
  minutesFrom?: number
  clock?: boolean
  halfDay?: 'am' | 'pm'
  namedTime?: string
  filler?: boolean
}

export const nothing: Meaning = {}

export interface Node {
  meaning?: Meaning
  next?: Map<string, Node>
}

/** A language ready for reading: a trie of words, and the parts of its compound numbers. */
export interface Lexicon {
  language: Language
  root: Map<string, Node>
  compoundPart: RegExp | undefined
}

export const phrasesOf = (list: string): string[] => list.split(', ').filter((phrase) => phrase !== '')

/** A phrase with its umlauts as they are, without dots, and as two letters. */
function spellings(phrase: string): string[] {
  if (/^[a-z ]+$/.test(phrase)) return [phrase]
  const twoLetters = phrase
    .replace(/[äöü]/g, (umlaut) => `${{ ä: 'a', ö: 'o', ü: 'u' }[umlaut]}e`)
    .replaceAll('ß', 'ss')
  const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')
  return [...new Set([phrase, plain(twoLetters), plain(phrase.replaceAll('ß', 'ss'))])]
}

export function lexiconOf(language: Language): Lexicon {
  const root = new Map<string, Node>()
  const parts = new Set<string>()

  function add(list: string | undefined, meaning: Meaning, isPart = false): void {
    for (const phrase of phrasesOf(list ?? '').flatMap(spellings)) {
      let node: Node = { next: root }
      for (const word of phrase.split(' ')) {
        node.next ??= new Map()
        const next: Node = node.next.get(word) ?? {}
        node.next.set(word, next)
        node = next
      }
      node.meaning = { ...node.meaning, ...meaning }
      if (isPart) parts.add(phrase)
    }
  }
  function addEach(lists: Record<string, string>, meaningOf: (key: string) => Meaning, arePart = false): void {
    for (const [key, list] of Object.entries(lists)) add(list, meaningOf(key), arePart)
  }

  addEach(language.homophones, (letters) => ({ letters, weight: 0 }))
  addEach(language.alphabets, (letters) => ({ letters, weight: 1 }))
  addEach(language.letters, (letters) => ({ letters, weight: 2 }))
  addEach(language.numbers, (value) => ({ number: Number(value) }), true)
  addEach(language.ordinals, (value) => ({ number: Number(value), ordinal: true }))
  addEach(language.scales, (value) => ({ scale: Number(value) }), true)
  addEach(language.repeats, (times) => ({ repeat: Number(times) }), true)
  addEach(language.unsureNumbers ?? {}, (value) => ({ number: Number(value), unsure: true }), true)
  add(language.articleOne, { number: 1, article: true })
  add(language.one, { one: true })
  add(phrasesOf(language.one)[0], { one: true }, true)
  add(language.and, { and: true }, true)
  add(language.half, { half: true }, true)
  addEach(language.signs, (sign) => ({ sign }))
  add(language.like, { like: true })
  add(language.currencies, { currency: true })
  add(language.cents, { cents: true })
  addEach(language.beforeHour, (minutes) => ({ beforeHour: Number(minutes) }))
  addEach(language.afterHour, (minutes) => ({ afterHour: Number(minutes) }))
  addEach(language.minutesFrom, (direction) => ({ minutesFrom: Number(direction) }))
  add(language.clock, { clock: true })
  add(language.am, { halfDay: 'am' })
  add(language.pm, { halfDay: 'pm' })
  addEach(language.namedTimes, (namedTime) => ({ namedTime }))
  add(language.fillers, { filler: true })

  const longestFirst = [...parts].sort((a, b) => b.length - a.length).filter((part) => !part.includes(' '))
  const lasts = Object.values(language.ordinals).flatMap(phrasesOf).flatMap(spellings)
  const compoundPart = new RegExp(`(?:${lasts.join('|')})$|${longestFirst.join('|')}`, 'y')
  return { language, root, compoundPart: language.compounds ? compoundPart : undefined }
}
