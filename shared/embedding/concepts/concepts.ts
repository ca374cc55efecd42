import { stem } from '../../terms/word-forms.ts'
import { type Concept, english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'

export type { Concept }

type Index = Map<string, Concept[]>

const indexOfStems: Index = new Map()
const indexOfParts: Index = new Map()
const indexOfRuns: Index = new Map()
const firstsOfPairs = new Set<string>()

/** German forms compounds of short words. */
const minPart = 4
const languages = [
  { table: english, minPart: 5 },
  { table: german, minPart },
  { table: french, minPart: 5 },
]

for (const concept of Object.keys(english) as Concept[]) {
  for (const { table, minPart } of languages)
    for (const entry of entriesOf(table, concept)) {
      put(indexOfStems, entry, concept)
      if (entry.includes('_')) firstsOfPairs.add(entry.slice(0, entry.indexOf('_')))
      else if (entry.length >= minPart) put(indexOfParts, entry, concept)
    }
  for (const entry of japanese[concept]?.split(' ') ?? []) put(indexOfRuns, entry, concept)
}

function entriesOf(table: Partial<Record<Concept, string>>, concept: Concept): string[] {
  const entries = table[concept] ? table[concept].split(' ') : []
  return table === english ? [stem(concept), ...entries] : entries
}

function put(index: Index, key: string, concept: Concept): void {
  const concepts = index.get(key)
  if (!concepts) index.set(key, [concept])
  else if (!concepts.includes(concept)) concepts.push(concept)
}

const maxLength = (index: Index) => Math.max(...Array.from(index.keys(), (key) => key.length))
const maxPart = maxLength(indexOfParts)
const maxRun = maxLength(indexOfRuns)

/** Concepts of the word or else of its longest known beginning and ending, for compounds. @param word folded */
export function conceptsOf(word: string, stemmed: string): readonly Concept[] {
  const whole = indexOfStems.get(stemmed)
  if (whole) return whole
  const concepts: Concept[] = []
  for (let end = Math.min(word.length - 1, maxPart); end >= minPart; end--) {
    const head = indexOfParts.get(word.slice(0, end))
    if (!head) continue
    concepts.push(...head)
    break
  }
  for (let start = Math.max(minPart - 1, stemmed.length - maxPart); start <= stemmed.length - minPart; start++) {
    const tail = indexOfParts.get(stemmed.slice(start))
    if (!tail) continue
    concepts.push(...tail)
    break
  }
  return concepts
}

export function beginsPair(stemmed: string): boolean {
  return firstsOfPairs.has(stemmed)
}

export function conceptsOfPair(first: string, second: string): readonly Concept[] {
  return indexOfStems.get(`${first}_${second}`) ?? []
}

/** Concepts of the longest known words in a run without spaces. @param run folded */
export function conceptsIn(run: string): readonly Concept[] {
  const concepts: Concept[] = []
  for (let at = 0; at < run.length; ) {
    let length = Math.min(maxRun, run.length - at)
    while (length > 0 && !indexOfRuns.has(run.slice(at, at + length))) length--
    concepts.push(...(indexOfRuns.get(run.slice(at, at + length)) ?? []))
    at += Math.max(1, length)
  }
  return concepts
}
