import { describe, expect, test } from 'vitest'
import { chunk, embeddedText } from '../../shared/chunking/chunker.ts'
import { Random } from '../simulation/random.ts'
import { isThorough } from '../support/tools/effort.ts'

const words = 'the of a booking table garden price winter open staff refund policy menu window dog deposit guest'.split(
  ' ',
)
const random = new Random(20)
const pick = () => `${random.pick(words)}${random.chance(0.125) ? random.below(1000) : ''}`
const list = (length: number, make: () => string, separator: string) => Array.from({ length }, make).join(separator)
const sentence = () => `The ${list(6 + random.below(18), pick, ' ')}.`
const paragraph = () => list(2 + random.below(6), sentence, ' ')

/** Chunks of a document, at least. */
const count = isThorough ? 1000 : 100
/** A maker of document units, the number of units per chunk, and the separator between units. */
type Kind = [make: () => string, perChunk: number, separator: string]

const kinds: Record<string, Kind> = {
  'full of headings': [() => `## ${sentence()}\n\n${paragraph()}`, 1.1, '\n\n'],
  'of paragraphs without a heading': [paragraph, 3.6, '\n\n'],
  'of a paragraph on each line': [paragraph, 3.6, '\n'],
  'of one line': [sentence, 16.5, ' '],
  'of one line without any punctuation': [() => list(20, pick, ' '), 13.5, ' '],
  'of one list': [() => `- ${sentence()}`, 16, '\n'],
}

const edits: Record<string, (unit: string, kind: Kind) => string> = {
  'changes a word of': (unit) => unit.replace(/(\w+ \w+ \w+ )\w+/, '$1changed'),
  rewrites: (_, [make]) => make(),
  'adds a sentence to': (unit) => `${unit} The terrace is closed in winter.`,
  'inserts another after': (unit, [make, , separator]) => `${unit}${separator}${make()}`,
  removes: () => '',
}

describe.each(Object.entries(kinds))(`in a document of ${count} chunks %s`, (_, kind) => {
  const [make, perChunk, separator] = kind
  const units = Array.from({ length: perChunk * count }, make)
  const before = chunk(units.join(separator))
  const known = new Set(before.map((each) => embeddedText('Title', each)))

  test.each(Object.entries(edits))('an edit that %s one paragraph changes at most 5 chunks', (_, edit) => {
    expect(before.length).toBeGreaterThanOrEqual(count)
    for (const place of isThorough ? [0, 0.31, 0.64, 0.9999] : [0.64]) {
      const at = Math.floor(place * units.length)
      const after = chunk(units.with(at, edit(units[at]!, kind)).join(separator))
      expect(after.filter((each) => !known.has(embeddedText('Title', each))).length).toBeLessThanOrEqual(5)
    }
  })
})

const tables: Record<string, [head: string, other: string, line: () => string]> = {
  'of one table': ['| Part |\n|---|', '| Tool |\n|---|', () => `| ${sentence()} |`],
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

  test('another heading with the same number of tokens moves no cut', () => {
    const after = cut(other, rows)
    expect(after).toEqual(before.map((each) => each.replace(head, other)))
    expect(after.every((each) => each.startsWith(other))).toBe(true)
  })
})
