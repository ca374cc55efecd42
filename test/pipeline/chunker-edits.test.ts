import { describe, expect, test } from 'vitest'
import { chunk, embeddedText } from '../../functions/embedding/chunking/chunker.ts'
import { isThorough } from '../support/effort.ts'

const words =
  'the of a booking table garden price winter open staff refund policy menu window dog terrace deposit voucher lunch guest'.split(
    ' ',
  )

/** Numbers below `bound`, the same in every run. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const next = numbers(20)
const pick = () => `${words[next(words.length)]!}${next(8) === 0 ? next(1000) : ''}`
const list = (length: number, make: () => string, separator: string) => Array.from({ length }, make).join(separator)
const sentence = () => `The ${list(6 + next(18), pick, ' ')}.`
const paragraph = () => list(2 + next(6), sentence, ' ')

/** Chunks of a document, at least. */
const count = isThorough ? 1000 : 100
/** Units of a document of so many chunks, what stands between two of them, and what one of them is replaced with. */
interface Kind {
  units: string[]
  separator: string
  replacement: () => string
}

const paragraphs = Array.from({ length: 3.6 * count }, paragraph)
const kinds: Record<string, Kind> = {
  'full of headings': {
    units: Array.from({ length: 1.1 * count }, () => `## ${sentence()}\n\n${paragraph()}`),
    separator: '\n\n',
    replacement: () => `## ${sentence()}\n\n${paragraph()}`,
  },
  'of paragraphs without a heading': { units: paragraphs, separator: '\n\n', replacement: paragraph },
  'of a paragraph on each line': { units: paragraphs, separator: '\n', replacement: paragraph },
  'of one line': { units: Array.from({ length: 16.5 * count }, sentence), separator: ' ', replacement: sentence },
  'of one line without any punctuation': {
    units: Array.from({ length: 13.5 * count }, () => list(20, pick, ' ')),
    separator: ' ',
    replacement: () => list(20, pick, ' '),
  },
  'of one list': {
    units: Array.from({ length: 16 * count }, () => `- ${sentence()}`),
    separator: '\n',
    replacement: () => `- ${sentence()}`,
  },
}

const edits: Record<string, (unit: string, kind: Kind) => string> = {
  'changes a word of': (unit) => unit.replace(/(\w+ \w+ \w+ )\w+/, '$1changed'),
  rewrites: (_, kind) => kind.replacement(),
  'adds a sentence to': (unit) => `${unit} The terrace is closed in winter.`,
  'puts another one behind': (unit, kind) => `${unit}${kind.separator}${kind.replacement()}`,
  removes: () => '',
}

describe.each(Object.entries(kinds))(`in a document of ${count} chunks %s`, (_, kind) => {
  const before = chunk(kind.units.join(kind.separator))
  const known = new Set(before.map((each) => embeddedText('Title', each)))

  test.each(Object.entries(edits))('an edit that %s one paragraph changes at most 5 chunks', (_, edit) => {
    expect(before.length).toBeGreaterThanOrEqual(count)
    for (const place of isThorough ? [0, 0.31, 0.64, 0.9999] : [0.64]) {
      const edited = [...kind.units]
      const at = Math.floor(place * edited.length)
      edited[at] = edit(edited[at]!, kind)
      const after = chunk(edited.join(kind.separator))
      expect(after.filter((each) => !known.has(embeddedText('Title', each))).length).toBeLessThanOrEqual(5)
    }
  })
})

const tables: Record<string, [head: string, other: string, line: () => string]> = {
  'of one table': [
    '| Part | Price |\n|---|---|',
    '| Tool | Price |\n|---|---|',
    () => `| ${sentence()} | ${next(1000)} |`,
  ],
  'of one list with a lead-in': ['We have:', 'We sell:', () => `- ${sentence()}`],
  'of one nested list': ['We have:\n- Parts', 'We have:\n- Tools', () => `  - ${sentence()}`],
}

describe.each(Object.entries(tables))('in a document %s', (_, [head, other, line]) => {
  const rows = Array.from({ length: 2.5 * count }, line)
  const cut = (first: string, lines: string[]) => chunk([first, ...lines].join('\n')).map((each) => each.content)
  const before = cut(head, rows)

  test.each<[string, (at: number) => string[]]>([
    ['changes', (at) => rows.with(at, `${rows[at]} And more.`)],
    ['adds', (at) => rows.toSpliced(at, 0, line())],
    ['removes', (at) => rows.toSpliced(at, 1)],
  ])('an edit that %s a row changes at most 5 chunks', (_, edit) => {
    expect(before.length).toBeGreaterThanOrEqual(0.15 * count)
    const known = new Set(before)
    for (const at of isThorough ? [0, 700, 1400, 2499] : [140]) {
      const after = cut(head, edit(at))
      expect(after.filter((each) => !known.has(each)).length).toBeLessThanOrEqual(5)
    }
  })

  test('another head of as many tokens moves no cut', () => {
    const after = cut(other, rows)
    expect(after).toEqual(before.map((each) => each.replace(head, other)))
    expect(after.every((each) => each.startsWith(other))).toBe(true)
  })
})
