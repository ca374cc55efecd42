import * as v from 'valibot'
import { isObject } from '../../shared/http/input/fields.ts'
import { parseBounded } from '../../shared/http/input/json-levels.ts'
import { maxTurns } from '../../shared/retrieval/heard.ts'
import { endOf, hasTerms } from '../../shared/retrieval/in-context.ts'
import { maxAlternatives, query } from '../../shared/retrieval/schemas.ts'
import { textPart } from './schemas.ts'

/** Takes the caller's last turn as the question, and the others as its history. Undefined if no turn has terms. @param turns oldest first */
export function questionIn(turns: readonly string[]) {
  const said = saidIn(turns)
  return said.some(hasTerms) ? { query: said.at(-1)!, history: historyIn(turns) } : undefined
}

/** The caller's turns before the one for which a tool's question stands. */
export function historyIn(turns: readonly string[]): string[] {
  return saidIn(turns).slice(-1 - maxTurns, -1)
}

/** The texts of the caller's turns, in any platform's form; in OpenAI's, a text may be a list of parts. */
export function turnsOfCaller(conversation: readonly unknown[]): string[] {
  return conversation
    .flatMap((turn) => (isObject(turn) && turn.role === 'user' ? [turn.content ?? turn.message] : []))
    .map((content) => (Array.isArray(content) ? textOf(content) : content))
    .filter((text) => typeof text === 'string')
}

function textOf(parts: unknown[]): string {
  return parts.map((part) => (v.is(textPart, part) ? part.text : '')).join(' ')
}

function saidIn(turns: readonly string[]): string[] {
  return turns.map(endOf).filter((turn) => turn !== '')
}

/** The question in a tool's arguments, an object or its JSON: `query`, or else the only text, with the `alternatives` that a search takes. */
export function questionOf(args: unknown) {
  const named = isObject(args) ? args : parseObject(args)
  const texts = Object.values(named).filter((value) => typeof value === 'string')
  const text = typeof named.query === 'string' ? named.query : texts.length === 1 ? texts[0] : undefined
  return text?.trim() ? { query: endOf(text), alternatives: alternativesIn(named.alternatives) } : undefined
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
