import { describe, expect, test } from 'vitest'
import { chunk, chunking } from '../../shared/chunking/chunker.ts'
import { inTurns } from '../../shared/steps.ts'
import { Random } from '../simulation/random.ts'

const shortLength = 30_000
const lengthFactor = 8
/** Eight times the text may take this many times as long: noise and caches included, but far from the 64 of a quadratic run. */
const maxTimeFactor = 28

function letters(length: number, wordLength: number): string {
  const random = new Random(7)
  const letter = (_: unknown, i: number) =>
    (i + 1) % (wordLength + 1) ? String.fromCharCode(97 + random.below(26)) : ' '
  return Array.from({ length }, letter).join('')
}

const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length))
const itemsInItems = [0, 2, 4, 6, 8, 10].map((indent) => `${' '.repeat(indent)}- a\n`).join('')
const units = [
  ...['x', '.', '. ', "'", '👨‍👩‍👧', '🇩🇪', '花园座位价格', '\n', '\n   \t', 'a\n', '#', '# a\n', 'a\n=\n', '```\n'],
  ...['>', '> ', '- ', itemsInItems, 'a:\n\n', 'a:\n- b\n\n', '|-'],
]
const inputs: Record<string, (length: number) => string> = {
  'one word of random letters': (length) => letters(length, length),
  'random words': (length) => letters(length, 7),
  blanks: (length) => `x${' '.repeat(length)}x`,
  'combining marks': (length) => `e${'\u0301'.repeat(length)}`,
  'rows of a table': (length) => `|a|b|\n|-|-|\n${repeated('|c|d|\n')(length)}`,
  ...Object.fromEntries(units.map((unit) => [`${JSON.stringify(unit)} repeated`, repeated(unit)])),
}

function fastest(text: string): number {
  const runs = [1, 2, 3].map(() => {
    const start = performance.now()
    chunk(text)
    return performance.now() - start
  })
  return Math.min(...runs)
}

/** The lowest of a few measurements of a ratio, since noise only adds to it. */
function minRatio(of: string, to: string, enough: number): number {
  let lowest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && lowest > enough; attempt++) lowest = Math.min(lowest, fastest(of) / fastest(to))
  return lowest
}

test.each(Object.entries(inputs))('the time grows with the length and no faster for %s', (_, make) => {
  const ratio = minRatio(make(shortLength * lengthFactor), make(shortLength), maxTimeFactor)
  expect(ratio).toBeLessThanOrEqual(maxTimeFactor)
})

describe('while a long text is cut the event loop turns, and the chunks are the same', () => {
  const size = { targetTokens: 400, overlapTokens: 60 }

  test.each(['"x" repeated', 'random words', 'blanks', '"a\\n" repeated'])('for %s', async (name) => {
    const text = inputs[name]!(2_000_000)
    let turns = 0
    let isCut = false
    const count = () => {
      turns++
      if (!isCut) setImmediate(count)
    }
    count()
    const chunks = await inTurns(chunking(text, size))
    isCut = true
    // Each takes hundreds of milliseconds on any machine.
    expect(turns).toBeGreaterThan(3)
    expect(chunks).toEqual(chunk(text, size))
  })
})

describe('a hostile text takes at most 60 times as long as prose of its length', () => {
  const said = (i: number) =>
    `Guest ${i} asked what a seat at the window costs in winter, and why.${i % 5 ? ' ' : '\n\n'}`
  const prose = Array.from({ length: 1200 }, (_, i) => said(i)).join('')

  test.each(Object.entries(inputs))('as %s', (_, make) => {
    expect(minRatio(make(prose.length), prose, 60)).toBeLessThanOrEqual(60)
  })
})
