import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ChunkSize, chunk, embeddedText } from '../../shared/chunking/chunker.ts'
import { partsOf } from '../support/tools/repeated-lines.ts'
import { contentsOf, effort, expectSound, joined, overlapOf, paragraph, small, tokens } from './sound-chunks.ts'

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Pieces between bars; a bar itself is written as ¦. */
const piecesOf = (text: string) => text.split('|').map((piece) => piece.replaceAll('¦', '|'))
const pieces = fc.constantFrom(
  ...piecesOf("a|The |price| |  |\n|\n\n|\r\n|\r|\t|12|345678|. |! |?|。|#|# |## Prices\n|'s|'LL"),
  ...piecesOf('é|e\u0301|漢字|😀|👨‍👩‍👧|🇩🇪|👍🏽|𝒳|\u00a0|\u3000|слово |ก็|<¦endoftext¦>|---|\n---\n|===\n'),
  ...piecesOf(
    '* |- |1. |> |¦ a ¦ b ¦\n|¦---¦---¦\n|\n¦ Room ¦\n¦:--¦\n¦ 7 ¦\n|\n\nFree:\n- a\n  - b\n|\n  - |```\n|~~~~\n',
  ),
  ...piecesOf('\u0301|\u200d|\u200b|   |: |"|…|½|\u2028'),
)
const texts = fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join(''))
const sizes = fc.record({
  targetTokens: fc.integer({ min: 30, max: 120 }),
  overlapTokens: fc.integer({ min: 0, max: 40 }),
})

describe('every text', () => {
  const holds = <T>(of: fc.Arbitrary<T>, check: (text: string, of: T) => void, numRuns = 50, from = texts) =>
    fc.assert(fc.property(from, of, check), { numRuns: numRuns * effort })

  test('is covered by slices with its own heading lines: at most the target, with exact token counts', () =>
    holds(sizes, checkSizes, 100))

  test('of any code points is covered, at absurd sizes too', () => {
    const targetTokens = fc.constantFrom(1, 2, 7, 400, 1e9)
    const odd = fc.record({ targetTokens, overlapTokens: fc.constantFrom(0, 5, 1e9) })
    holds(odd, (text, size) => void expectSound(text, size), 50, fc.string({ unit: 'binary', maxLength: 200 }))
  })

  function checkSizes(text: string, size: ChunkSize) {
    const chunks = expectSound(text, size)
    for (const [index, each] of chunks.entries()) {
      expect(each.token_count).toBe(tokens(each.content))
      expect(each.token_count).toBeLessThanOrEqual(size.targetTokens)
      expect(tokens(overlapOf(text, chunks, index))).toBeLessThanOrEqual(size.overlapTokens)
      expect(tokens(partsOf(text, each).repeated)).toBeLessThanOrEqual(size.targetTokens / 4)
    }
  }

  test('is cut only between grapheme clusters', () =>
    holds(fc.constantFrom(1, 5, 30), (text, targetTokens) => {
      const starts = [...segmenter.segment(text)].map(({ index }) => index).concat(text.length)
      const cuts = chunk(text, { targetTokens, overlapTokens: 3 }).flatMap(({ metadata: { start, end } }) => [
        start,
        end,
      ])
      expect(cuts.filter((cut) => !starts.includes(cut))).toEqual([])
    }))

  test('has no blank chunk unless its white space is longer than a chunk', () =>
    holds(fc.constant({ targetTokens: 200, overlapTokens: 20 }), (text, size) => {
      if (text.trim() === '') return
      for (const { content } of chunk(text, size)) expect(content.trim()).not.toBe('')
    }))
})

describe('a section', () => {
  const path = (text: string) => chunk(text).map(({ content, metadata }) => [content, metadata.headings])

  test('that fits is one chunk with its heading line and the path of its headings', () => {
    const text = '# Inn\nWelcome.\n\n## Prices ##\n\nA room is 80.\n\n### Garden\nFree.\n\n## Dogs\nWelcome too.'
    expect(path(text)).toEqual([
      ['# Inn\nWelcome.\n\n', ['Inn']],
      ['## Prices ##\n\nA room is 80.\n\n', ['Inn', 'Prices']],
      ['### Garden\nFree.\n\n', ['Inn', 'Prices', 'Garden']],
      ['## Dogs\nWelcome too.', ['Inn', 'Dogs']],
    ])
  })

  test('without text of its own is joined with the next one, and gets its path', () => {
    expect(path('# Inn\n\n## Prices\n\nA room is 80.\n\n## Empty')).toEqual([
      ['# Inn\n\n## Prices\n\nA room is 80.\n\n', ['Inn', 'Prices']],
      ['## Empty', ['Inn', 'Empty']],
    ])
  })

  test('may begin with an underlined heading', () => {
    expect(path('Inn\n===\n\nWelcome.\n\nPrices\n---\nA room is 80.')).toEqual([
      ['Inn\n===\n\nWelcome.\n\n', ['Inn']],
      ['Prices\n---\nA room is 80.', ['Inn', 'Prices']],
    ])
  })

  test.each(['\r\n', '\r'])('may end its lines with %j', (end) => {
    const sections = [`# A${end}${end}x${end}`, `# B${end}y`] as const
    expect(path(sections.join(''))).toEqual([
      [sections[0], ['A']],
      [sections[1], ['B']],
    ])
  })

  test('that is too long keeps its heading with the first text and its path in every chunk', () => {
    const paragraphs = joined(20, (i) => paragraph(i), '\n\n')
    for (const body of [paragraph(1, 60), paragraphs, 'word '.repeat(1500), 'x'.repeat(9000)]) {
      const chunks = expectSound(`# Inn\n\n## Guests\n\n${body}\n`)
      expect(chunks.length).toBeGreaterThan(2)
      expect(chunks[0]!.content.length).toBeGreaterThan('# Inn\n\n## Guests\n\n'.length)
      for (const { metadata } of chunks) expect(metadata.headings).toEqual(['Inn', 'Guests'])
    }
  })

  test('that is just too long for a chunk does not leave its heading alone', () => {
    for (let words = 380; words < 400; words++) {
      const [first, second] = chunk(`# Inn\n\n${'garden '.repeat(words / 2)}end. ${'table '.repeat(words / 2)}`)
      expect(first!.content).toContain('garden')
      expect(first!.token_count + (second?.token_count ?? 0)).toBeGreaterThan(380)
    }
  })

  test('takes no overlap from the one before', () => {
    const chunks = chunk(`${paragraph(1, 3)}\n\n# Next\n\n${paragraph(2, 3)}`)
    expect(contentsOf(chunks)).toEqual([`${paragraph(1, 3)}\n\n`, `# Next\n\n${paragraph(2, 3)}`])
  })

  test.each([
    ['a comment in a fence', '```sh\n# install\n```\n'],
    ['a comment in a fence that nothing closes', '~~~\n# install\n```\n'],
    ['a comment in a fence in a list', '- first\n\n      ```\n      # install\n      ```\n'],
    ['a hash with no space behind it', '#1 in town\n'],
    ['seven hashes', '####### deep\n'],
    ['a line in an indented code block', '    # install\n'],
    ['a quoted line', '> # install\n'],
    ['a rule below a blank line', 'Open daily\n\n---\n\nClosed on Monday\n'],
    ['a row of a table', 'price | seat\n--- | ---\n5 | window\n'],
  ])('does not begin at %s', (_, text) => {
    expect(path(text)).toEqual([[text, []]])
  })
})

describe('where a text is cut,', () => {
  const rows = (count: number) => joined(count, (i) => `| room ${i} | ${i * 13} euros. Ask. | garden |`, '\n')
  const wholes: [string, string][] = [
    ['a table', `| room | price | side |\n|---|---|---|\n${rows(12)}`],
    ['a fence', `\`\`\`ts\n${joined(20, (i) => `const table${i} = book(${i})`, '\n\n')}\n\`\`\``],
    ['a paragraph', paragraph(9, 8)],
    ['a list item', `- ${paragraph(9, 8)}`],
    ['a quotation', `> ${paragraph(9, 8).replaceAll('. ', '.\n> ')}`],
  ]

  test.each(wholes)('%s that fits a chunk stays whole among other text', (_, whole) => {
    for (let before = 0; before < 12; before++) {
      const text = `${paragraph(before, 2 + before)}\n\n${whole}\n\n${paragraph(50 + before, 10)}\n\n${paragraph(70, 9)}`
      const chunks = expectSound(text)
      expect(chunks.some(({ content }) => content.includes(whole))).toBe(true)
    }
  })

  test('a sentence stays whole in a paragraph that does not', () => {
    const chunks = expectSound(paragraph(3, 200))
    for (const { content } of chunks) {
      expect(content).toMatch(/^Guest \d+ asked/)
      expect(content.trimEnd()).toMatch(/seat\.$/)
    }
  })

  test('rows and lines of code stay whole in a table or fence that does not', () => {
    for (const { content } of expectSound(`| a | b | c |\n|---|---|---|\n${rows(200)}`)) {
      expect(content).toMatch(/^\|/)
      expect(content.trimEnd()).toMatch(/\|$/)
    }
  })

  test('a line that ends in a colon stays with the list below it', () => {
    for (let seed = 1; seed <= 6 * effort; seed++) {
      const hours = `Opening hours ${seed}:\n\n- Monday: ${seed} to noon\n- Tuesday: noon\n\n`
      const text = `${paragraph(seed, 14)}\n\n${hours}${paragraph(60 + seed, 18)}`
      expect(contentsOf(chunk(text, { targetTokens: 400, overlapTokens: 0 })).join('|')).toContain(hours)
    }
  })

  test('abbreviations, initials and decimals end no sentence', () => {
    const text = joined(60, (i) => `Dr. J. Smith pays 3.50 euros, e.g. on day ${i}, to Mr. Brown.`, ' ')
    for (const { content } of expectSound(text, small)) expect(content).toMatch(/^Dr\. J\. Smith/)
  })

  test('Chinese sentences end without a space', () => {
    const text = joined(60, (i) => `第${i}位客人问花园的座位多少钱。`)
    for (const { content } of expectSound(text, small)) expect(content).toMatch(/^第.*。$/)
  })
})

describe('the overlap', () => {
  test('is whole sentences before the chunk, at most as long as requested', () => {
    const text = paragraph(4, 300)
    const chunks = expectSound(text)
    const shared = chunks.slice(1).map((_, i) => overlapOf(text, chunks, i + 1))
    expect(shared.filter((text) => text !== '').length).toBeGreaterThan(chunks.length / 2)
    for (const each of shared) {
      expect(each).toMatch(/^(Guest .* seat\. )?$/)
      expect(tokens(each)).toBeLessThanOrEqual(60)
    }
  })

  test('is whole words if a sentence is split', () => {
    const text = joined(3000, (i) => `garden${(i * 7919) % 1013}`, ' ')
    const chunks = expectSound(text, small)
    expect(chunks.filter((_, i) => overlapOf(text, chunks, i) !== '').length).toBeGreaterThan(chunks.length / 2)
    for (const { content } of chunks) expect(content).toMatch(/^(garden\d+ ?)+$/)
  })

  test('of 0 leaves chunks that meet', () => {
    const text = paragraph(4, 300)
    expect(contentsOf(chunk(text, { targetTokens: 100, overlapTokens: 0 })).join('')).toBe(text)
  })
})

describe('a hostile text', () => {
  test('of one word of 2 MiB is cut into chunks below the target', () => {
    const text = 'x'.repeat(2 ** 21)
    const chunks = expectSound(text)
    for (const { content } of [chunks[0]!, chunks.at(-2)!]) expect(tokens(content)).toBeLessThanOrEqual(400)
  })

  const blanks = 100_000 * effort
  test(`of ${blanks} line breaks gives chunks of bounded tokens`, () => {
    for (const text of ['\n'.repeat(blanks), `x${'\n'.repeat(blanks)}y`, `x${' '.repeat(blanks)}y`]) {
      for (const { token_count, content } of expectSound(text)) {
        expect(token_count).toBeLessThanOrEqual(400)
        expect(tokens(content.slice(0, 400_000))).toBeLessThanOrEqual(400)
      }
    }
  })

  test('of one letter with thousands of combining marks is cut between them', () => {
    for (const text of [`e${'\u0301'.repeat(10_000 * effort)}`, `e${'\u{1e023}'.repeat(5_000 * effort)}`]) {
      for (const { content } of expectSound(text)) expect(tokens(content)).toBeLessThanOrEqual(420)
    }
  })

  test('of joined emoji keeps every family together', () => {
    const family = '👨‍👩‍👧‍👦'
    for (const { content } of expectSound(family.repeat(2000))) expect(content.replaceAll(family, '')).toBe('')
    for (const { content } of expectSound(family.repeat(200), { targetTokens: 1, overlapTokens: 0 }))
      expect(content).toBe(family)
  })

  const headingUnits = 100_000 * effort
  test(`in a heading of ${headingUnits} units is cut, and its path is capped at 200 units of whole clusters`, () => {
    for (const word of ['word ', '👨‍👩‍👧', 'x']) {
      const chunks = expectSound(`# ${word.repeat(headingUnits / word.length)}\n\nText.`)
      const [heading] = chunks[0]!.metadata.headings
      expect(heading!.length).toBeLessThanOrEqual(200)
      expect(word.repeat(200).startsWith(heading!)).toBe(true)
      expect(heading!.length % word.length).toBe(word === 'word ' ? 4 : 0)
    }
  })

  test('with a target above the provider’s limit stays below its 8,192 tokens, headings included', () => {
    const heading = (level: number) => `${'#'.repeat(level)} ${'\u{1e023}漢ꙮ'.repeat(100)}\n\n`
    const text = [1, 2, 3, 4, 5, 6].map(heading).join('') + 'ꙮ \u{1e023}'.repeat(9000)
    for (const each of expectSound(text, { targetTokens: 100_000, overlapTokens: 100_000 })) {
      expect(tokens(embeddedText('x'.repeat(500), each))).toBeLessThanOrEqual(8192)
    }
  })

  test('with lone surrogates is still covered', () =>
    void expectSound(`${'\ud800'.repeat(999)} ${'\udc00 '.repeat(999)}`, small))

  test('with a byte order mark counts it as one token', () => expect(chunk('\ufeff')[0]!.token_count).toBe(1))
})

test('an empty text has no chunks', () => expect(chunk('')).toEqual([]))

test.each(['0 0', 'NaN 0', '9 -1'])('a size of %s is a RangeError', (size) => {
  const [targetTokens, overlapTokens] = size.split(' ').map(Number) as [number, number]
  expect(() => chunk('x', { targetTokens, overlapTokens })).toThrow(RangeError)
})
