import { diffArrays } from 'diff'
import type { Correction } from '../../../../shared/database/tables.ts'
import { corrected, hasPassage, isOnceIn, uncorrected } from '../../../../shared/documents/text/corrections.ts'
import { inLine } from '../../../../shared/text/plain-line.ts'

/** A range of lines in each text; `to` and `ownTo` are exclusive. */
interface Hunk {
  from: number
  to: number
  ownFrom: number
  ownTo: number
}

const maxHunks = 100
/** Each look reads the whole text. */
const maxLooks = 200
const timeout = 400

/** Derives a file's corrections from its edited text, as passages of whole lines. `text` has the earlier `corrections` in it. */
export function correctionsAfter(text: string, corrections: readonly Correction[], edited: string): Correction[] {
  const { original, kept } = uncorrected(text, corrections)
  const [old, own] = [original.split('\n'), edited.split('\n')]
  const toCorrection = ({ from, to, ownFrom, ownTo }: Hunk) => ({
    before: old.slice(from, to).join('\n').trim(),
    after: own.slice(ownFrom, ownTo).join('\n').trim(),
  })
  const hunks = hunksOf(old, own)
  for (let [i, looks] = [0, 0]; i < hunks.length && looks < maxLooks; looks++) {
    const hunk = hunks[i]!
    const { before, after } = toCorrection(hunk)
    const isWhole = hunk.from === 0 && hunk.to === old.length
    // A passage must occur only once, to be found again in this file and in its replacement.
    if (isWhole || (isOnceIn(original, before) && isOnceIn(edited, after))) i++
    else i = widen(hunks, i, old.length)
  }
  const made = hunks.map(toCorrection).filter(({ before, after }) => inLine(before) !== inLine(after))
  const isSame = inLine(corrected(original, made)) === inLine(edited) && corrected(edited, made) === edited
  const waiting = kept.filter((each) => corrected(edited, [each]) === edited)
  return [...waiting, ...(isSame ? made : [{ before: original.trim(), after: edited.trim() }])]
}

/** Corrections whose passages are no longer in the text. */
export function lostCorrections(text: string, corrections: readonly Correction[]): Correction[] {
  return uncorrected(text, corrections).kept.filter(({ after }) => !hasPassage(text, after))
}

function hunksOf(old: string[], own: string[]): Hunk[] {
  const hunks: Hunk[] = []
  const parts = diffArrays(old, own, { timeout }) ?? []
  let [at, ownAt] = [0, 0]
  for (const { added, removed, value } of parts) {
    const last = hunks.at(-1)
    const isNext = last?.to === at && last.ownTo === ownAt
    const hunk = isNext ? last : { from: at, to: at, ownFrom: ownAt, ownTo: ownAt }
    if (!added) at += value.length
    if (!removed) ownAt += value.length
    if (!added && !removed) continue
    if (!isNext) hunks.push(hunk)
    Object.assign(hunk, { to: at, ownTo: ownAt })
  }
  if (parts.length > 0 && hunks.length <= maxHunks) return hunks
  return [{ from: 0, to: old.length, ownFrom: 0, ownTo: own.length }]
}

/** Adds a line on each side, or joins an adjacent hunk. @returns the hunk's new index */
function widen(hunks: Hunk[], i: number, lines: number): number {
  const [previous, hunk, next] = [hunks[i - 1], hunks[i]!, hunks[i + 1]]
  if (next?.from === hunk.to) {
    Object.assign(hunk, { to: next.to, ownTo: next.ownTo })
    hunks.splice(i + 1, 1)
  } else if (hunk.to < lines) {
    hunk.to++
    hunk.ownTo++
  }
  if (previous?.to === hunk.from) {
    Object.assign(previous, { to: hunk.to, ownTo: hunk.ownTo })
    hunks.splice(i, 1)
    return i - 1
  }
  if (hunk.from > 0) {
    hunk.from--
    hunk.ownFrom--
  }
  return i
}
