import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { wordsOf } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { type AgentIndex, servedDocuments, viewOf } from '../index/agent-index.ts'
import { loadedAgents } from '../index/loaded-agents.ts'
import { type KeywordQuery, keywordQuery } from '../keyword/keyword-query.ts'
import { forEachChunk, weighIn } from '../keyword/score.ts'
import { soughtTerms, type WeighedTerm } from '../keyword/weights.ts'
import type { Hit } from '../schemas.ts'

/** A word of a question, or several that are read as one code or number, as the keyword search read it for this agent. */
export interface SoughtWord {
  text: string
  isKnown: boolean
  /** Any of these terms in a text stands for the word. */
  terms: ReadonlySet<string>
}

export type Passage = Pick<Hit, 'document_id' | 'chunk_index'>

interface SoughtWords {
  words: SoughtWord[]
  /** Whether the passage, its title or its headings have each word. */
  presencesIn(passage: Passage): boolean[]
}

/** Explains a search by words, with its own functions: the words that it sought, and which of them a passage has. */
export async function explainWords(
  db: Database,
  scope: AgentScope,
  query: string,
  asOf: string | undefined,
): Promise<SoughtWords> {
  const sought = keywordQuery(query)
  if (!sought) return { words: [], presencesIn: () => [] }
  const index = await loadedAgents.of(db, scope)
  const view = viewOf(index, asOf === undefined ? Date.now() : Date.parse(asOf))
  const weighed = weighIn(view, soughtTerms(sought))
  const spelt = new Set(sought.entries.filter(({ isFallback }) => !isFallback).map(({ group }) => group))
  const groups = sought.spans
    .map((_, group) => ({ group, terms: weighed.filter((term) => term.group === group) }))
    .filter(({ terms, group }) => terms.some(({ isKnown }) => isKnown) || spelt.has(group))
  const chunksWith = new Map<number, Set<number>>()
  for (const { key } of weighed) {
    const chunks = new Set<number>()
    forEachChunk(view, key, (chunk) => chunks.add(chunk))
    chunksWith.set(key, chunks)
  }
  return {
    words: groups.map(({ terms, group }) => toWord(query, sought, terms, group)),
    presencesIn(passage) {
      const chunk = chunkAt(index, passage)
      return groups.map(({ terms }) => hasWord(terms, ({ key }) => chunksWith.get(key)!.has(chunk)))
    },
  }
}

function toWord(
  query: string,
  { spans, terms, entries }: KeywordQuery,
  weighed: readonly WeighedTerm[],
  group: number,
): SoughtWord {
  const text = normalForm(query)
  const words = wordsOf(text)
  const { from, to } = spans[group]!
  const last = words[to - 1]!
  const isUsable = new Set(weighed.filter((term) => term.isUsable).map(({ way }) => way))
  const usable = entries.filter((entry) => entry.group === group && isUsable.has(entry.way))
  return {
    text: text.slice(words[from]!.start, last.start + last.text.length),
    isKnown: weighed.some((term) => term.isKnown),
    terms: new Set(usable.map(({ slot }) => terms[slot]!)),
  }
}

function hasWord(terms: readonly WeighedTerm[], has: (term: WeighedTerm) => boolean): boolean {
  const usable = terms.filter((term) => term.isUsable)
  const ways = [...Map.groupBy(usable, (term) => term.way).values()]
  return ways.some((way) => way.every(has))
}

/** The number of a passage's chunk in the index; -1 if it isn't served any more. */
function chunkAt({ layers }: AgentIndex, { document_id, chunk_index }: Passage): number {
  for (const layer of layers) {
    const document = servedDocuments(layer).find(({ documentId }) => documentId === document_id)
    if (!document) continue
    const at = layer.segment.places.subarray(document.from, document.to).indexOf(chunk_index)
    if (at >= 0) return layer.base + document.from + at
  }
  return -1
}
