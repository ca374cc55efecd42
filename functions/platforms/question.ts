import * as v from 'valibot'
import { isObject } from '../../shared/http/input/fields.ts'
import { parseBounded } from '../../shared/json-levels.ts'
import { maxAlternatives, query } from '../../shared/retrieval/schemas.ts'
import { termsOf } from '../../shared/terms/terms.ts'
import { wordsOf } from '../../shared/terms/words.ts'
import { normalForm } from '../../shared/text/normal-form.ts'

/** The length of a question in UTF-16 code units, so at most as many characters as a search takes. */
const maxQuestion = 8000

/** A turn with fewer terms is a fragment: “and on Sundays”, “yes please”. */
const minTerms = 2

/** The turns that a question may span: what lies further back is no longer the subject. */
const maxTurns = 4

/**
 * The caller's last turn and, while it is a fragment, those before it that have terms; undefined when there is nothing to look for.
 * (Historical query expansion: Lin et al., ACM TOIS 2021.) @param turns oldest first
 */
export function questionIn(turns: readonly string[]): string | undefined {
  const last = turns.at(-1) ?? ''
  let terms = termsIn(last)
  const asked = [last]
  for (const turn of turns.slice(0, -1).reverse()) {
    if (terms >= minTerms || asked.length === maxTurns) break
    const termsOfTurn = termsIn(turn)
    if (termsOfTurn === 0) continue
    asked.unshift(turn)
    terms = termsOfTurn
  }
  return terms === 0 ? undefined : asQuestion(asked.join(' '))
}

/** The end of a text that is too long: what was said last is what is asked. */
function asQuestion(text: string): string {
  return text
    .slice(-maxQuestion)
    .replace(/^[\udc00-\udfff]/, '')
    .trim()
}

function termsIn(text: string): number {
  return wordsOf(normalForm(text)).flatMap((word) => termsOf(word.text)).length
}

export interface AskedByTool {
  query: string
  alternatives: string[]
}

/** The question in a tool's arguments, an object or its JSON: `query`, or else the only text, with those `alternatives` that a search takes. */
export function questionOf(args: unknown): AskedByTool | undefined {
  const named = isObject(args) ? args : parseObject(args)
  const texts = Object.values(named).filter((value) => typeof value === 'string')
  const text = typeof named.query === 'string' ? named.query : texts.length === 1 ? texts[0] : undefined
  return text?.trim() ? { query: asQuestion(text), alternatives: alternativesIn(named.alternatives) } : undefined
}

function alternativesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((text) => v.is(query, text)).slice(0, maxAlternatives) : []
}

function parseObject(text: unknown): Record<string, unknown> {
  if (typeof text !== 'string') return {}
  try {
    const value = parseBounded(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
