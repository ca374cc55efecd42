import type { Value } from '../schemas.ts'
import { type HitTable, tablesIn } from '../tables.ts'
import { readTurn, type Unit } from './asked.ts'
import { onlyCell, type ProvenCell, provenCells } from './proof.ts'
import { readerOf, stemsIn } from './reading.ts'

/** One hypothesis of the last turn, with the turns before it, oldest first. */
export interface Reading {
  query: string
  history: readonly string[]
}

type Passage = HitTable['hit']

const maxReadings = 10
const maxEarlierTurns = 3
/** The cells of all passages together. */
const maxCells = 2000
/** A word that so many of the passages have in title or headings names the business. */
const minTitles = 8
/** The share that is right among the values of the sets to tune on, by the kind of proof. */
const confidences = { whole: 0.97, filled: 0.9 }
/** A turn that begins like this, or points back, needs the turns before it. */
const continues =
  /^(?:(?:um|uh|oh|okay|ok|yes|yeah|right|so|well|hi) )*(?:and|or|what about|how about|und|oder|was ist mit|wie ist es mit|et) |\b(?:it|its|that|this|ones?|those|them|they|there|es|das|davon|dafür|ça)\b/

/**
 * Finds the cell of a table among the passages that answers one of the readings. Each of its content words is met by the cell's row, its
 * column, the table's headings or the document's title, and no other cell answers as well. Null without such a proof.
 * @param passages the compared hits, best first
 */
export function findValue(readings: readonly Reading[], passages: readonly Passage[]): Value | null {
  const tables = tablesOf(passages)
  if (tables.flat().length === 0) return null
  const vocabulary = new Set(passages.flatMap((passage) => [...headsOf(passage), passage.content].flatMap(stemsIn)))
  for (const { query, history } of readings.slice(0, maxReadings)) {
    const cell = provenBy(query, history)
    if (cell) return toValue(cell)
  }
  return null

  function provenBy(query: string, history: readonly string[]): ProvenCell | undefined {
    const turns = [query, ...history.slice(-maxEarlierTurns).toReversed()]
    const least = turns.length > 1 && continues.test(query.toLowerCase()) ? 2 : 1
    for (let count = least; count <= turns.length; count++) {
      const cell = cellFor(turns.slice(0, count))
      if (cell) return cell
    }
    return undefined
  }

  /** @param said the last turn first */
  function cellFor(said: readonly string[]): ProvenCell | undefined {
    const turns = said.map(readTurn)
    const mustBeMet = (unit: Unit) => unit.isContent && !namesBusiness(unit)
    const units = turns.flatMap(({ units }) => units).filter(mustBeMet)
    if (units.length === 0) return undefined
    const read = readerOf(units, vocabulary)
    const metBy = (passage: Passage) => {
      const texts = [...headsOf(passage), passage.content].map(read)
      return units.filter((_, u) => texts.some((met) => met[u]! > 0)).length
    }
    const found = tables.map((each) => provenCells(turns, each, vocabulary, mustBeMet))
    const at = found.findIndex((cells, i) => cells.length > 0 && (i === 0 || metBy(passages[i]!) > metBy(passages[0]!)))
    const cell = at < 0 ? undefined : onlyCell(found[at]!, turns[0]!.end)
    const isContradicted = found.some((cells, i) => cell && i !== at && cells.some((other) => contradicts(cell, other)))
    return isContradicted ? undefined : cell
  }

  function namesBusiness({ forms }: Unit): boolean {
    const has = (passage: Passage) => headsOf(passage).some((text) => stemsIn(text).some((stem) => forms.has(stem)))
    return passages.filter(has).length >= minTitles
  }
}

/** The tables of each passage, as long as they have few cells. */
function tablesOf(passages: readonly Passage[]): HitTable[][] {
  let cells = 0
  return passages.map((passage) =>
    tablesIn(passage).filter(({ rows, columns }) => {
      cells += rows.length * columns.length
      return cells <= maxCells
    }),
  )
}

/** The document's title and the headings above the passage. */
function headsOf({ document_title, metadata: { headings } }: Passage): string[] {
  return [document_title, ...(Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [])]
}

/** True for another text under the same names. */
function contradicts(one: ProvenCell, other: ProvenCell): boolean {
  const namesOf = ({ row, column }: ProvenCell) => [...row, '|', ...column].flatMap(stemsIn).join(' ')
  return one.text !== other.text && namesOf(one) === namesOf(other)
}

function toValue({ text, row, column, table, isFilled }: ProvenCell): Value {
  const confidence = isFilled ? confidences.filled : confidences.whole
  return { text, row, column, chunk_id: table.hit.chunk_id, confidence }
}

/** The beginning of an answer with these hits: “Large, Diavola: £14.20”; undefined without hits or a value. */
export function saidOf(hits: readonly unknown[], value: Value | null): string | undefined {
  if (!value || hits.length === 0) return undefined
  return `${[...value.column, ...value.row].join(', ')}: ${value.text}`
}
