import { describe, expect, test } from 'vitest'
import { chunk, chunking } from '../../functions/embedding/chunking/chunker.ts'
import { inTurns } from '../../shared/steps.ts'

const shortLength = 30_000
const lengthFactor = 8
/** Eight times the text may take this many times as long: noise and caches included, but far from the 64 of a quadratic run. */
const maxTimeFactor = 28

function letters(length: number, wordLength: number): string {
  let state = 7
  let text = ''
  while (text.length < length) {
    for (let i = 0; i < wordLength; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      text += String.fromCharCode(97 + ((state >>> 10) % 26))
    }
    text += ' '
  }
  return text
}

const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length))

const inputs: Record<string, (length: number) => string> = {
  'one word of one letter': repeated('x'),
  'one word of random letters': (length) => letters(length, length),
  'random words': (length) => letters(length, 7),
  'line breaks': repeated('\n'),
  'line breaks and blanks': repeated('\n   \t'),
  blanks: (length) => `x${' '.repeat(length)}x`,
  hashes: repeated('#'),
  'nested quotations': repeated('>'),
  'nested quotations with blanks': repeated('> '),
  'nested lists': repeated('- '),
  headings: repeated('# a\n'),
  'underlined headings': repeated('a\n=\n'),
  fences: repeated('```\n'),
  'columns of a table': repeated('|-'),
  'full stops': repeated('.'),
  'full stops and blanks': repeated('. '),
  apostrophes: repeated("'"),
  'combining marks': (length) => `e${'\u0301'.repeat(length)}`,
  'joined emoji': repeated('👨‍👩‍👧'),
  flags: repeated('🇩🇪'),
  'Chinese without punctuation': repeated('花园座位价格'),
  'lines of one letter': repeated('a\n'),
  'colons at the ends of lines': repeated('a:\n\n'),
  'lists below colons': repeated('a:\n- b\n\n'),
  'items in items': repeated([0, 2, 4, 6, 8, 10].map((indent) => `${' '.repeat(indent)}- a\n`).join('')),
  'rows of a table': (length) => `|a|b|\n|-|-|\n${repeated('|c|d|\n')(length)}`,
}

function fastest(text: string): number {
  let fastestRun = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run++) {
    const start = performance.now()
    chunk(text)
    fastestRun = Math.min(fastestRun, performance.now() - start)
  }
  return fastestRun
}

/** The lowest of a few measurements of a ratio, since noise only adds to it. */
function minRatio(of: string, to: string, enough: number): number {
  let lowest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && lowest > enough; attempt++) lowest = Math.min(lowest, fastest(of) / fastest(to))
  return lowest
}

describe('the time grows with the length and no faster', () => {
  test.each(Object.entries(inputs))('for %s', (_, make) => {
    expect(minRatio(make(shortLength * lengthFactor), make(shortLength), maxTimeFactor)).toBeLessThanOrEqual(
      maxTimeFactor,
    )
  })
})

describe('while a long text is cut the event loop turns, and the chunks are the same', () => {
  const size = { targetTokens: 400, overlapTokens: 60 }

  test.each(['one word of one letter', 'random words', 'blanks', 'lines of one letter'])('for %s', async (name) => {
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
    // Each takes hundreds of milliseconds, on whatever machine.
    expect(turns).toBeGreaterThan(3)
    expect(chunks).toEqual(chunk(text, size))
  })
})

describe('a hostile text takes at most 60 times as long as prose of its length', () => {
  const prose = Array.from(
    { length: 1200 },
    (_, i) => `Guest ${i} asked what a seat at the window costs in winter, and why.${i % 5 ? ' ' : '\n\n'}`,
  ).join('')

  test.each(Object.entries(inputs))('as %s', (_, make) => {
    expect(minRatio(make(prose.length), prose, 60)).toBeLessThanOrEqual(60)
  })
})
