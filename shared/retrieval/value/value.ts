import type { Value } from '../schemas.ts'
import { readQuestion } from './asked.ts'
import { scoredCells } from './cells.ts'
import { type HitTable, tablesIn } from './tables.ts'

/** The inputs of the logistic regression for the best cell, each about 0 to 1. */
export type Features = Record<keyof typeof weights, number>

/** Answers begin with a value of at least this confidence. */
const minSaid = 0.5
/** The cells of later hits rarely answer, and cost time. */
const readHits = 5

/** Fitted by `npm run evaluate -- --fit-values`; README.md names the sets. */
const weights = {
  constant: -2,
  lead: 2.8,
  missing: -3.6,
  row: 0.2,
  header: 2.2,
  outside: -0.8,
  elsewhere: -0.3,
  cover: 1.6,
  fit: 1.1,
  isOnly: -0.5,
  conflict: -0.8,
  isFirst: 0.2,
  isBeyond: -2.2,
}

/** The cell of a table among the hits that answers one of the readings of the question; null if none stands out. */
export function findValue(queries: readonly string[], hits: readonly HitTable['hit'][]): Value | null {
  const tables = hits.slice(0, readHits).flatMap(tablesIn)
  if (tables.length === 0) return null
  let best: Value | null = null
  for (const query of queries) {
    const found = bestCell(query, tables)
    if (!found) continue
    const { text, row, column, table } = found.cell
    const confidence = Math.round(1000 * probability(weights, found.features)) / 1000
    if (confidence >= (best?.confidence ?? 0)) best = { text, row, column, chunk_id: table.hit.chunk_id, confidence }
  }
  return best
}

/** @returns undefined if no row has any word of the question */
export function bestCell(query: string, tables: ReturnType<typeof tablesIn>) {
  const asked = readQuestion(query)
  const [cell, ...others] = scoredCells(asked, tables)
  if (!cell) return undefined
  const next = others.find(({ text }) => text !== cell.text)?.score ?? 0
  const names = [...cell.row, ...cell.column].join(' ').toLowerCase()
  const { rowScore, columnScore, missing, outside, elsewhere, cover, fit, isOnly, conflict, isFirst } = cell.evidence
  const features: Features = {
    constant: 1,
    lead: saturated(Math.max(0, cell.score - next), 1),
    missing,
    row: saturated(rowScore, 2),
    header: saturated(columnScore, 1),
    ...{ outside, elsewhere, cover, fit, isOnly, conflict, isFirst },
    isBeyond: asked.beyond.some((word) => !names.includes(word)) ? 1 : 0,
  }
  return { cell, features }
}

const saturated = (score: number, half: number) => score / (score + half)

/** A logistic regression's probability that the cell answers. */
export function probability(weights: Features, features: Features): number {
  const names = Object.keys(weights) as (keyof Features)[]
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + weights[name] * features[name], 0)))
}

/** The beginning of an answer with these hits: “Large, Diavola: £14.20”; undefined without hits or a value that is likely right. */
export function saidOf(hits: readonly unknown[], value: Value | null): string | undefined {
  if (!value || value.confidence < minSaid || hits.length === 0) return undefined
  return `${[...value.column, ...value.row].join(', ')}: ${value.text}`
}
