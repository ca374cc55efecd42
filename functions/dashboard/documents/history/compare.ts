import { diffArrays, diffLines } from 'diff'

export type Part = { kind: 'same' | 'removed' | 'added'; text: string }

/** Longer texts are compared by lines. */
const maxCharactersByWords = 1_000_000
const timeout = 400
/** How much of an unchanged stretch is shown beside a change. */
const contextCharacters = 200
const maxShown = 100_000

/** What makes one text the other, by words; unchanged stretches are cut to what is beside a change. `isCut`: the end is left out. */
export function compareTexts(before: string, after: string): { parts: Part[]; isCut: boolean } {
  const changes = byWords(before, after) ??
    diffLines(before, after, { timeout }) ?? [
      { removed: true, added: false, value: before },
      { removed: false, added: true, value: after },
    ]
  const parts: Part[] = []
  let left = maxShown
  for (const [i, { removed, added, value }] of changes.entries()) {
    if (left <= 0) return { parts, isCut: true }
    const kind = removed ? 'removed' : added ? 'added' : 'same'
    const whole = kind === 'same' ? context(value, i > 0, i < changes.length - 1) : value
    parts.push({ kind, text: whole.slice(0, left).toWellFormed() })
    left -= whole.length
  }
  return { parts, isCut: left < 0 }
}

/** Undefined where that would take too long. */
function byWords(before: string, after: string) {
  if (before.length + after.length > maxCharactersByWords) return undefined
  const changes = diffArrays(wordsOf(before), wordsOf(after), { timeout })
  return changes?.map(({ removed, added, value }) => ({ removed, added, value: value.join('') }))
}

/** Prices and times such as 4.50 and 9:30 are one word. */
function wordsOf(text: string): string[] {
  return text.match(/\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{M}\p{N}]+|\s+|\S/gu) ?? []
}

function context(text: string, isAfterChange: boolean, isBeforeChange: boolean): string {
  const head = isAfterChange ? text.slice(0, contextCharacters).replace(/(?<!\S)\S+$/, '') : ''
  const tail = isBeforeChange ? text.slice(-contextCharacters).replace(/^\S*/, '') : ''
  return head.length + tail.length + 2 * contextCharacters > text.length ? text : `${head}…${tail}`
}
