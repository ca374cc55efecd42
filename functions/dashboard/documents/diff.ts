import { diffArrays } from 'diff'
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

/** Renders both texts whole, each with the words that only it has. */
export function sidesOf(before: string, after: string): [Html, Html] {
  const parts = changesOf(before, after)
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
  for (const [i, { kind, text }] of changes.entries()) {
    if (left <= 0) return { parts, isCut: true }
    const shown = kind === 'same' ? context(text, i > 0, i < changes.length - 1) : text
    parts.push({ kind, text: shown.slice(0, left).toWellFormed() })
    left -= shown.length
  }
  return { parts, isCut: left < 0 }
}

/** Compares lines first, so that an added or removed row stays whole, then the words of replaced lines. Replaces all after the time-out. */
function changesOf(before: string, after: string): Part[] {
  const deadline = performance.now() + timeout
  const diff = (old: string[], own: string[]): Part[] =>
    diffArrays(old, own, { timeout: Math.max(1, deadline - performance.now()) })?.map(({ removed, added, value }) => ({
      kind: removed ? 'removed' : added ? 'added' : 'same',
      text: value.join(''),
    })) ?? [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: own.join('') },
    ]
  const lines = diff(linesOf(before), linesOf(after))
  if (before.length + after.length > maxCharactersByWords) return lines
  return lines.flatMap((change, i) => {
    const next = lines[i + 1]
    if (change.kind === 'removed' && next?.kind === 'added') return diff(wordsOf(change.text), wordsOf(next.text))
    return change.kind === 'added' && lines[i - 1]?.kind === 'removed' ? [] : change
  })
}

const linesOf = (text: string) => text.split(/(?<=\n)/)

/** Counts prices and times such as 4.50 and 9:30 as one word. */
function wordsOf(text: string): string[] {
  return text.match(/\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{M}\p{N}]+|\s+|\S/gu) ?? []
}

/** Shortens unchanged text to its first and last lines, beside changes. */
function context(text: string, isAfterChange: boolean, isBeforeChange: boolean): string {
  const lines = linesOf(text)
  const head = isAfterChange ? lines.slice(0, contextLines) : []
  const tail = isBeforeChange ? lines.slice(-contextLines) : []
  return head.length + tail.length < lines.length ? [...head, '…\n', ...tail].join('') : text
}
