import { isAlike, likenessLines } from '../../../../shared/documents/likeness.ts'
import { pricesIn } from './prices.ts'

/** A document that search serves, with its chunks. */
export interface Served {
  id: string
  title: string
  valid_from: Date | null
  valid_until: Date | null
  chunks: { chunk_index: number; content: string }[]
}

/** What a document says an item costs, and where. */
interface Statement {
  text: string
  amounts: string
  passage: number
}

export interface Contradiction {
  documents: [Served, Served]
  /** They have most of their lines in common, but for the numbers. */
  isAlike: boolean
  /** One item at different prices, in the first document and in the second. */
  prices: [Statement, Statement][]
}

/** An item with other prices in more documents than this is not one item, but one of each: breakfast in three hotels. */
const maxPrices = 2
/** A line in more documents than this belongs to all of them, as a letterhead does. */
const maxDocuments = 10
/** A single word, such as “adults”, is the same item only in documents that have so many in common. */
const minCommon = 3

/** Pairs of documents that are served at the same time, and are nearly the same or give an item two prices. Most prices first. */
export function contradictionsIn(documents: Served[]): Contradiction[] {
  const lines = documents.map(({ chunks }) => new Set(chunks.flatMap(({ content }) => likenessLines(content))))
  const items = documents.map(statementsOf)
  const commonLines = inPairs(documents, lines)
  const commonItems = inPairs(
    documents,
    items.map((each) => each.keys()),
  )
  const amounts = new Map<string, Set<string>>()
  for (const [key, said] of items.flatMap((each) => [...each]))
    amounts.set(key, (amounts.get(key) ?? new Set()).add(said.amounts))
  const pairs = new Set([...commonLines.keys(), ...commonItems.keys()])
  return [...pairs]
    .map((pair) => {
      const [a, b] = pair.split(' ').map(Number) as [number, number]
      const common = commonLines.get(pair)?.length ?? 0
      const alike = isAlike(common, lines[a]!.size + lines[b]!.size - common)
      const keys = commonItems.get(pair) ?? []
      const prices = keys
        .filter((key) => items[a]!.get(key)!.amounts !== items[b]!.get(key)!.amounts)
        .filter((key) => amounts.get(key)!.size <= maxPrices)
        .filter((key) => alike || keys.length >= minCommon || /^[^|]+ /.test(key))
        .map((key): [Statement, Statement] => [items[a]!.get(key)!, items[b]!.get(key)!])
      return { documents: [documents[a]!, documents[b]!] as [Served, Served], isAlike: alike, prices }
    })
    .filter(({ isAlike, prices }) => isAlike || prices.length > 0)
    .toSorted((one, other) => other.prices.length - one.prices.length)
}

/** The prices of items, by item, without those that one document gives two prices, which are of different things. */
function statementsOf({ chunks }: Served): Map<string, Statement> {
  const found = new Map<string, Statement>()
  const ambiguous = new Set<string>()
  for (const { chunk_index, content } of chunks)
    for (const { key, ...priced } of pricesIn(content)) {
      const known = found.get(key)
      if (known && known.amounts !== priced.amounts) ambiguous.add(key)
      else if (!known) found.set(key, { ...priced, passage: chunk_index + 1 })
    }
  for (const key of ambiguous) found.delete(key)
  return found
}

/** What two documents have in common that are served at the same time, by `first second`, their numbers. */
function inPairs(documents: Served[], values: Iterable<string>[]): Map<string, string[]> {
  const holders = new Map<string, number[]>()
  for (const [i, each] of values.entries())
    for (const value of each) holders.set(value, [...(holders.get(value) ?? []), i].slice(0, maxDocuments + 1))
  const pairs = new Map<string, string[]>()
  for (const [value, found] of holders)
    if (found.length <= maxDocuments)
      for (const [i, a] of found.entries())
        for (const b of found.slice(i + 1)) {
          if (!overlap(documents[a]!, documents[b]!)) continue
          const pair = `${a} ${b}`
          const common = pairs.get(pair)
          if (common) common.push(value)
          else pairs.set(pair, [value])
        }
  return pairs
}

function overlap(one: Served, other: Served): boolean {
  const begin = Math.max(
    Number(one.valid_from ?? Number.NEGATIVE_INFINITY),
    Number(other.valid_from ?? Number.NEGATIVE_INFINITY),
  )
  const end = Math.min(
    Number(one.valid_until ?? Number.POSITIVE_INFINITY),
    Number(other.valid_until ?? Number.POSITIVE_INFINITY),
  )
  return begin < end
}
