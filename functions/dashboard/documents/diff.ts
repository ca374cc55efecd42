import { type ChangeObject, diffArrays } from 'diff'
import { html } from 'hono/html'
import type { Range } from '../../../shared/terms/term-places.ts'
import type { Html } from '../layout.ts'
import { passageText } from '../passage-text.ts'

export type Part = { kind: 'same' | 'removed' | 'added'; text: string }

/** Longer texts are compared only by lines. */
const maxCharactersByWords = 1_000_000
const timeout = 400
/** The number of unchanged lines that are shown beside a change. */
const contextLines = 5
const maxShown = 100_000

/** Shows the words and table cells that differ between two texts. */
export function diffView(before: string, after: string, said: { title: string; removed: string; added: string }): Html {
  const { parts, isCut } = compareTexts(before, after)
  return html`<section class="text"><h2>${said.title}</h2>
<p class="hint"><del>${said.removed}</del> <ins>${said.added}</ins></p>
<div class="said">${partsView(parts)}</div>
${isCut && html`<p class="hint">The rest of the changes isn’t shown.</p>`}</section>`
}

/** Renders both texts, each with the words that only it has. */
export function sidesOf(before: string, after: string): [Html, Html] {
  const { parts } = compareTexts(before, after)
  const without = (other: Part['kind']) => partsView(parts.filter(({ kind }) => kind !== other))
  return [without('added'), without('removed')]
}

function partsView(parts: Part[]): Html {
  const text = parts.map((part) => part.text).join('')
  return html`${passageText(text, markedIn(parts))}`
}

/** Renders ranges of the parts' text, which must come in order. */
function markedIn(parts: Part[]) {
  let [at, i] = [0, 0]
  return ({ start, end }: Range): Html => {
    const shown: Html[] = []
    for (; i < parts.length && at < end; i++) {
      const { kind, text } = parts[i]!
      const own = text.slice(Math.max(0, start - at), end - at)
      if (own !== '')
        shown.push(
          kind === 'same' ? html`${own}` : kind === 'removed' ? html`<del>${own}</del>` : html`<ins>${own}</ins>`,
        )
      if (at + text.length > end) break
      at += text.length
    }
    return html`${shown}`
  }
}

/** Compares two texts by words, and shortens unchanged text to the part beside a change. `isCut`: the end is left out. */
export function compareTexts(before: string, after: string): { parts: Part[]; isCut: boolean } {
  const changes = changesOf(before, after)
  const parts: Part[] = []
  let left = maxShown
  for (const [i, { removed, added, value }] of changes.entries()) {
    if (left <= 0) return { parts, isCut: true }
    const kind = removed ? 'removed' : added ? 'added' : 'same'
    const whole = value.join('')
    const shown = kind === 'same' ? context(whole, i > 0, i < changes.length - 1) : whole
    parts.push({ kind, text: shown.slice(0, left).toWellFormed() })
    left -= shown.length
  }
  return { parts, isCut: left < 0 }
}

type Change = Pick<ChangeObject<string[]>, 'added' | 'removed' | 'value'>

/** Compares lines first, so that an added or removed row stays whole, then the words of replaced lines. Replaces all after the time-out. */
function changesOf(before: string, after: string): Change[] {
  const deadline = performance.now() + timeout
  const diff = (old: string[], own: string[]): Change[] =>
    diffArrays(old, own, { timeout: Math.max(1, deadline - performance.now()) }) ?? [
      { removed: true, added: false, value: old },
      { removed: false, added: true, value: own },
    ]
  const lines = diff(linesOf(before), linesOf(after))
  if (before.length + after.length > maxCharactersByWords) return lines
  return lines.flatMap((change, i) => {
    if (change.removed && lines[i + 1]?.added) return diff(wordsOf(change.value), wordsOf(lines[i + 1]!.value))
    return change.added && lines[i - 1]?.removed ? [] : change
  })
}

const linesOf = (text: string) => text.split(/(?<=\n)/)

/** Counts prices and times such as 4.50 and 9:30 as one word. */
function wordsOf(lines: string[]): string[] {
  return lines.join('').match(/\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{M}\p{N}]+|\s+|\S/gu) ?? []
}

/** Shortens unchanged text to its first and last lines, beside changes. */
function context(text: string, isAfterChange: boolean, isBeforeChange: boolean): string {
  if (!isAfterChange && !isBeforeChange) return text
  const lines = linesOf(text)
  const head = isAfterChange ? lines.slice(0, contextLines) : []
  const tail = isBeforeChange ? lines.slice(-contextLines) : []
  return head.length + tail.length < lines.length ? [...head, '…\n', ...tail].join('') : text
}
