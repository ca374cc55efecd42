import { type AskedTurn, readTurn, type Unit } from '../asked.ts'
import { rangesIn } from '../quantities.ts'
import type { Value } from '../schemas.ts'
import { sentencesOf } from '../speech/sentences.ts'
import { headsOf, tablesOf } from '../tables.ts'
import { onlyCell, type ProvenCell, provenCells } from './proof.ts'
import { formsIn, type Passage, type Reader, readerOf, textsOf, type Vocabulary } from './reading.ts'

/** One hypothesis of the last turn, with the turns before it, oldest first. */
export interface Reading {
  query: string
  history: readonly string[]
}

const maxEarlierTurns = 3
/**
 * The share of right values on the shops to tune on, by Laplace’s rule of succession: all of 185 that the last turn alone finds, and all
 * of 61 that earlier turns help to find.
 */
const confidences = { whole: 0.99, filled: 0.98 }
/** A turn that begins like this, or points back, needs the turns before it. */
const continues =
  /^(?:(?:um|uh|oh|okay|ok|yes|yeah|right|so|well|hi) )*(?:and|or|what about|how about|und|oder|was ist mit|wie ist es mit|et) |\b(?:it|its|that|this|ones?|those|them|they|there|es|das|davon|dafür|ça)\b/

/**
 * Finds the cell of a table that answers one of the readings: its row, its column, the table's headings or the document's title meet each
 * content word, and no other cell answers as well. Null without such a proof.
 * @param passages the compared hits, best first @param vocabulary their stems @param isRequired true for words to account for
 */
export function findValue(
  readings: readonly Reading[],
  passages: readonly Passage[],
  vocabulary: Vocabulary,
  isRequired: (unit: Unit) => boolean,
): Value | null {
  const tables = tablesOf(passages)
  if (tables.flat().length === 0) return null
  for (const { query, history } of readings) {
    const turns = [query, ...history.slice(-maxEarlierTurns).toReversed()].map(readTurn)
    const units = turns.flatMap((turn) => turn.units)
    const read = readerOf(units, vocabulary)
    const least = turns.length > 1 && continues.test(query.toLowerCase()) ? 2 : 1
    for (let count = least; count <= turns.length; count++) {
      const cell = cellFor(turns.slice(0, count), read)
      if (cell === 'contradicted') break
      if (cell) {
        if (turns.slice(count).some((turn) => isLimitedBy(turn, cell))) break
        return toValue(cell)
      }
    }
  }
  return null

  /** True if an earlier turn, which asks nothing, names another column: “I am a member”. */
  function isLimitedBy({ kinds, units }: AskedTurn, { column, table }: ProvenCell): boolean {
    const required = units.filter(isRequired)
    const read = readerOf(required, vocabulary)
    const meets = (path: readonly string[], u: number) => path.some((text) => read(text)[u]! > 0)
    const isOther = (u: number) => !meets(column, u) && table.columns.slice(1).some((path) => meets(path, u))
    return kinds.size === 0 && required.some((_, u) => isOther(u))
  }

  /** @param turns the last one first @param read reads their words, and may read those of further turns */
  function cellFor(turns: readonly AskedTurn[], read: Reader): ProvenCell | 'contradicted' | undefined {
    const units = turns.flatMap(({ units }) => units)
    if (!turns.every(({ isWhole }) => isWhole) || !units.some(isRequired)) return undefined
    const metBy = (texts: readonly string[]) =>
      units.filter((unit, u) => (isRequired(unit) || unit.saysKind) && texts.some((text) => read(text)[u]! > 0)).length
    const found = tables.map((each) => provenCells(turns, each, read, isRequired))
    const [first] = passages as [Passage]
    const inFirst = () =>
      Math.max(...sentencesOf(first.content).map((sentence) => metBy([...headsOf(first), sentence])))
    const metIn = (i: number, { row, column }: ProvenCell) => metBy([...textsOf(passages[i]!), ...row, ...column])
    const at = found.findIndex(([cell], i) => cell && (i === 0 || metIn(i, cell) > inFirst()))
    const cell = at < 0 ? undefined : onlyCell(found[at]!, turns[0]!.end)
    const isContradicted = found.some((cells, i) => cell && i !== at && cells.some((other) => contradicts(cell, other)))
    return isContradicted ? 'contradicted' : cell
  }
}

/** True for another text under the same names; £40 and £40.00 are one. */
function contradicts(one: ProvenCell, other: ProvenCell): boolean {
  const namesOf = ({ row, column }: ProvenCell) =>
    [...formsIn(row.join(' ')), '|', ...formsIn(column.join(' '))].join(' ')
  if (one.text === other.text || namesOf(one) !== namesOf(other)) return false
  const [ranges, others] = [one, other].map(({ text }) => JSON.stringify(rangesIn(text)))
  return ranges === '[]' || ranges !== others
}

function toValue({ text, row, column, table, isFilled }: ProvenCell): Value {
  const confidence = isFilled ? confidences.filled : confidences.whole
  return { text, row, column, chunk_id: table.hit.chunk_id, confidence }
}
