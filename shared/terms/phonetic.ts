import { groupBy } from '../built-ins.ts'
import { phoneticRules } from './phonetic-rules.ts'

const maxCodes = 4
const frontVowels = 'eiy'
const vowels = 'aeiouy'
const withoutConsonants = ['', 'A', 'J', 'JA']

interface Rule {
  letters: string
  atStart: boolean
  followedBy: string
  readings: string[]
}

const rules = phoneticRules
  .split('\n')
  .filter(Boolean)
  .flatMap((line) => {
    const [patterns = '', readings = ''] = line.split(': ')
    return patterns.split(' ').map((pattern): Rule => {
      const [, start, letters = '', followedBy = ''] = /^(\^?)([a-z]+)([$+_]?)$/.exec(pattern)!
      return {
        letters,
        atStart: start === '^',
        followedBy,
        readings: readings.split(' | ').map((reading) => reading.replace('-', '')),
      }
    })
  })
  .sort((a, b) => precision(b) - precision(a))

function precision(rule: Rule): number {
  return rule.letters.length * 4 + (rule.atStart ? 2 : 0) + (rule.followedBy ? 1 : 0)
}

function fits(rule: Rule, word: string, at: number): boolean {
  if ((rule.atStart && at > 0) || !word.startsWith(rule.letters, at)) return false
  const next = word[at + rule.letters.length]
  if (rule.followedBy === '') return true
  if (next === undefined) return rule.followedBy === '$'
  return (rule.followedBy === '+' && frontVowels.includes(next)) || (rule.followedBy === '_' && vowels.includes(next))
}

const rulesByLetter = groupBy(rules, ({ letters }) => letters[0])

const isLetter = (character: string) => character >= 'a' && character <= 'z'

/**
 * Returns up to 4 codes, likeliest first, that names which sound alike share (like Daitch-Mokotoff Soundex, 1985; the table is our own). None
 * for a word with a digit, without a consonant or of fewer than 3 letters. @param word folded
 */
export function phoneticCodes(word: string): string[] {
  if (word.length < 3) return []
  let codes = ['']
  for (let at = 0; at < word.length; ) {
    if (isLetter(word[at]!)) {
      // A rule of the letter itself always fits.
      const rule = rulesByLetter.get(word[at])!.find((each) => fits(each, word, at))!
      codes = read(codes, rule.readings)
      at += rule.letters.length
    } else if (word[at]! >= '0' && word[at]! <= '9') return []
    else at++
  }
  return finish(codes)
}

function read(codes: string[], readings: string[]): string[] {
  if (codes.length === 1 && readings.length === 1) {
    codes[0] = append(codes[0]!, readings[0]!)
    return codes
  }
  const all: string[] = []
  for (const reading of readings) {
    for (const code of codes) {
      const next = append(code, reading)
      if (all.length < maxCodes && !all.includes(next)) all.push(next)
    }
  }
  return all
}

function append(code: string, reading: string): string {
  if (code === '' || reading === '' || code.charCodeAt(code.length - 1) !== reading.charCodeAt(0)) return code + reading
  return reading.length === 1 ? code : code + reading.slice(1)
}

function finish(codes: string[]): string[] {
  const finished: string[] = []
  for (const code of codes) {
    const short = withoutVowels(code)
    if (!withoutConsonants.includes(short) && !finished.includes(short)) finished.push(short)
  }
  return finished
}

/** Vowels are misheard most: only a code of up to three consonants keeps them. */
function withoutVowels(code: string): string {
  let consonants = code.slice(0, 1)
  for (let i = 1; i < code.length; i++) if (code[i] !== 'A') consonants += code[i]
  return consonants.length > 3 ? consonants : code
}
