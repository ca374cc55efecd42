import type { Database } from '../../database/database.ts'
import type { AgentScope } from '../../database/scope.ts'
import { wordsOf } from '../../terms/words.ts'
import { normalForm } from '../../text/normal-form.ts'
import { viewOf } from '../index/agent-index.ts'
import { loadedAgents } from '../index/loaded-agents.ts'
import { type KeywordQuery, keywordQuery } from '../keyword/keyword-query.ts'
import { weighIn } from '../keyword/score.ts'
import { soughtTerms, type WeighedTerm } from '../keyword/weights.ts'

/** A word of a question, or several that are read as one code or number, as the keyword search read it for this agent. */
interface SoughtWord {
  text: string
  isKnown: boolean
  /** Any of these terms in a text stands for the word. */
  terms: ReadonlySet<string>
}

/** The words that a search by words sought, by its own functions. Words that may be one misheard name are listed only if texts have them. */
export async function soughtWords(
  db: Database,
  scope: AgentScope,
  query: string,
  asOf: string | undefined,
): Promise<SoughtWord[]> {
  const sought = keywordQuery(query)
  if (!sought) return []
  const index = await loadedAgents.of(db, scope)
  const view = viewOf(index, asOf === undefined ? Date.now() : Date.parse(asOf))
  const weighed = weighIn(view, soughtTerms(sought))
  const spelt = new Set(sought.entries.filter(({ isFallback }) => !isFallback).map(({ group }) => group))
  return sought.spans
    .map((_, group) => ({ group, terms: weighed.filter((term) => term.group === group) }))
    .filter(({ terms, group }) => terms.some(({ isKnown }) => isKnown) || spelt.has(group))
    .map(({ terms, group }) => toWord(query, sought, terms, group))
}

/** What a question is about, without its everyday words: “Perm” of “how much is a perm”. The question itself if it has no others. */
export function subjectOf(question: string): string {
  const { spans, required } = keywordQuery(question) ?? { spans: [], required: [] }
  const words = wordsOf(normalForm(question))
  const telling = spans.filter((_, group) => required[group]).flatMap(({ from, to }) => words.slice(from, to))
  const [first = '', ...others] = telling.map(({ text }) => text).join(' ') || question
  return first.toUpperCase() + others.join('')
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
