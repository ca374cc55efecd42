import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, test } from 'vitest'
import { type Chunk, type ChunkSize, chunk, embeddedText } from '../../shared/chunking/chunker.ts'
import { isThorough } from '../support/tools/effort.ts'
import { partsOf } from '../support/tools/repeated-lines.ts'

const tokens = (text: string) => encode(text, { disallowedSpecial: new Set() }).length
const overlapOf = (text: string, chunks: Chunk[], index: number) =>
  text.slice(chunks[index]!.metadata.start, chunks[index - 1]?.metadata.end ?? 0)
/** Ten times as many random texts when it is thorough. */
const effort = isThorough ? 10 : 1
const small: ChunkSize = { targetTokens: 40, overlapTokens: 10 }

const joined = (count: number, unit: (i: number) => string, separator = '') =>
  Array.from({ length: count }, (_, i) => unit(i)).join(separator)
const sentence = (seed: number) =>
  `Guest ${seed} asked about table ${(seed * 7919) % 1013} and about the price of a window seat.`
const paragraph = (seed: number, sentences = 6) => joined(sentences, (i) => sentence(seed * 100 + i), ' ')
const contentsOf = (chunks: Chunk[]) => chunks.map(({ content }) => content)

/** Checks rules that hold for every text and every size. */
function expectSound(text: string, size: ChunkSize = { targetTokens: 400, overlapTokens: 60 }): Chunk[] {
  const chunks = chunk(text, size)
  let covered = 0
  for (const [index, { chunk_index, content, token_count, metadata }] of chunks.entries()) {
    expect(chunk_index).toBe(index)
    expect(partsOf(text, chunks[index]!).own).not.toBe('')
    expect(metadata.start).toBeLessThanOrEqual(covered)
    expect(metadata.end).toBeGreaterThan(covered)
    if (text.isWellFormed()) expect(content.isWellFormed()).toBe(true)
    expect(token_count).toBeGreaterThan(0)
    covered = metadata.end
  }
  expect(covered).toBe(text.length)
  return chunks
}

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

  test('is cut between grapheme clusters alone', () =>
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

describe('what fits a chunk', () => {
  const rows = (count: number) => joined(count, (i) => `| room ${i} | ${i * 13} euros. Ask. | garden |`, '\n')
  const wholes: [string, string][] = [
    ['a table', `| room | price | side |\n|---|---|---|\n${rows(12)}`],
    ['a fence', `\`\`\`ts\n${joined(20, (i) => `const table${i} = book(${i})`, '\n\n')}\n\`\`\``],
    ['a paragraph', paragraph(9, 8)],
    ['a list item', `- ${paragraph(9, 8)}`],
    ['a quotation', `> ${paragraph(9, 8).replaceAll('. ', '.\n> ')}`],
  ]

  test.each(wholes)('%s stays whole among other text', (_, whole) => {
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

describe('a chunk that begins', () => {
  const repeatedIn = (text: string, size: ChunkSize = small) =>
    expectSound(text, size).map((each) => {
      expect(each.token_count).toBe(tokens(each.content))
      expect(each.token_count).toBeLessThanOrEqual(size.targetTokens)
      return partsOf(text, each).repeated
    })
  const header = '| Part | Price |\n|---|---|\n'
  const row = (i: number) => `| SP-${4000 + i} | ${i * 13} euros |\n`
  const hours = (i: number) => `- Day ${i}: from ${i} to noon, by appointment\n`
  const nested = (i: number) => `  - For ${i} hours it costs ${i * 7} euros\n`

  const many = `${header}${joined(20, row)}`
  const bikes = 'We rent:\n- Bikes\n'
  const twoTables = `${many}\n${many.replace('Part', 'Tyre')}`
  const inList = `Buy:\n- Parts\n\n  ${many.replaceAll('\n', '\n  ')}`
  const wideHeader = `| ${'Price of the part '.repeat(8)}|\n|---|\n`
  const repeating: [string, string, ...string[]][] = [
    ['in a table below a heading, its header', `# Prices\n\n${many}`, header],
    ['in a table without outer bars, its header', many.replaceAll(/^\| | \|$/gm, ''), 'Part | Price\n|---|---|\n'],
    ['in a table with CR LF, its header', many.replaceAll('\n', '\r\n'), header.replaceAll('\n', '\r\n')],
    ['in a table below a line of text, its header', `In euros:\n${many}`, header],
    ['in the second of two tables, the header of that', twoTables, header, header.replace('Part', 'Tyre')],
    ['in a row that is cut, the header', `${header}| ${'word '.repeat(90)} |\n`, header],
    ['in rows as long as a chunk, the header', `${header}${joined(3, () => `| ${'word '.repeat(72)}|\n`)}`, header],
    ['in rows without a delimiter row, nothing', joined(20, row)],
    ['below a header of more than a quarter chunk, nothing', `${wideHeader}${joined(20, row)}`],
    ['in lines of comma-separated values, nothing', `part,price\n${joined(40, (i) => `SP-${i},${i}\n`)}`],
    ['in a fence with a table, nothing', `\`\`\`\n${many}\`\`\`\n`],
    ['behind a table, nothing', `${header}${row(1)}\n${paragraph(1)}`],
    ['in a list, its lead-in', `We open:\n${joined(12, hours)}`, 'We open:\n'],
    ['in a list below a blank line, its lead-in', `We open:\n\n${joined(12, hours)}`, 'We open:\n'],
    ['in the blank lines of an item, nothing', `We open:\n- Daily${'\n \t'.repeat(80)}`],
    ['in a list whose first item is indented, its lead-in', `We open:\n ${joined(12, hours)}`, 'We open:\n'],
    ['in a loose list, its lead-in', `We open:\n\n${joined(12, (i) => `${hours(i)}\n`)}`, 'We open:\n'],
    ['in a numbered list, its lead-in', `We open:\n${joined(12, (i) => `${i}. ${sentence(i)}\n`)}`, 'We open:\n'],
    ['in a list below one line without a colon, that line', `**Hours**\n\n${joined(12, hours)}`, '**Hours**\n'],
    ['in a list below a paragraph, its last line', `Come in.\nWe open:\n${joined(12, hours)}`, 'We open:\n'],
    ['in a list below a longer paragraph without a colon, nothing', `Come in.\nWe open.\n${joined(12, hours)}`],
    ['in an item that is cut, the lead-in', `We open:\n- ${paragraph(3, 12)}`, 'We open:\n'],
    ['in a list below a heading, nothing', `We open:\n\n# Hours\n\n${joined(12, hours)}`],
    ['in a list below another paragraph, that', `We open:\n\nSummer:\n${joined(12, hours)}`, 'Summer:\n'],
    ['in text behind a list, nothing', `We open:\n${hours(1)}\n${paragraph(3, 12)}`],
    ['in a table in a list, all above', inList, 'Buy:\n- Parts\n  | Part | Price |\n  |---|---|\n'],
    ['in a nested list, lead-in and parent', `${bikes}${joined(20, nested)}`, bikes],
    [
      'in a list nested twice, all above',
      `${bikes}  - Old\n${joined(20, (i) => `  ${nested(i)}`)}`,
      `${bikes}  - Old\n`,
    ],
    ['in a nested list without a lead-in, the parent', `- Bikes\n${joined(20, nested)}`, '- Bikes\n'],
    ['in the second nested list, its parent', `- Bikes\n${nested(1)}- Boats\n${joined(20, nested)}`, '- Boats\n'],
    ['below a long parent, the lead-in', `We rent:\n- ${paragraph(1, 2)}\n${joined(20, nested)}`, 'We rent:\n'],
    ['below a long lead-in, the parent', `${sentence(1)}\n- Bikes\n${joined(20, nested)}`, '- Bikes\n'],
    [
      'below a nested lead-in, all above',
      `${bikes}\n  By the hour:\n${joined(20, nested)}`,
      `${bikes}  By the hour:\n`,
    ],
    [
      'behind a paragraph of an item, the lead-in',
      `We open:\n${hours(1)}\n  Ring.\n\n${joined(12, hours)}`,
      'We open:\n',
    ],
    ['in a paragraph of an item, lead-in and item', `${bikes}\n  ${paragraph(1)}\n`, bikes],
    ['in an item behind a nested list, the lead-in', `${bikes}${nested(1)}${joined(12, hours)}`, 'We rent:\n'],
  ]

  test.each(repeating)('%s is repeated', (_, text, ...repeated) => {
    const found = repeatedIn(text, { targetTokens: 80, overlapTokens: 0 })
    expect(found.length).toBeGreaterThan(1)
    expect([...new Set(found)].filter((each) => each !== '')).toEqual(repeated)
  })

  const cell = `|a${' '.repeat(199)}`
  test.each([
    ['a line of at most 200 units', `${'word '.repeat(39)}end.`, `${'word '.repeat(40)}end.`, joined(80, hours)],
    ['header rows of at most 1,000 units', cell.repeat(4), cell.repeat(5), `|---|\n${joined(80, row)}`],
  ])('in a table or list repeats %s', (_, longest, longer, rest) => {
    const counts = [longest, longer].map((first) => {
      const found = repeatedIn(`${first}\n${rest}`, { targetTokens: 400, overlapTokens: 0 })
      return found.filter((each) => each !== '').length
    })
    expect(counts[0]).toBeGreaterThan(1)
    expect(counts[1]).toBe(0)
  })

  test('with the header in its overlap does not repeat it', () => {
    const size = { targetTokens: 60, overlapTokens: 30 }
    let overlapping = 0
    for (let seed = 0; seed < 3 * effort; seed++) {
      const text = `${paragraph(seed, 1)}\n\n${header}${joined(12, (i) => row(i + seed))}`
      for (const [index, each] of expectSound(text, size).entries()) {
        const headers = each.content.split(header).length - 1
        expect(headers).toBe(each.content.includes('| SP-') ? 1 : headers)
        expect(headers).toBeLessThanOrEqual(1)
        if (index > 0 && text.slice(each.metadata.start).startsWith(header)) overlapping++
      }
    }
    expect(overlapping).toBeGreaterThan(0)
  })

  test('never ends within or right after the header rows of a table', () => {
    const second = '| Part | Small | Large | Small | Large |\n'
    const wide = `| Part | Mon–Thu | Mon–Thu | Fri–Sun | Fri–Sun |\n|---|---|---|---|---|\n${second}`
    for (let seed = 0; seed < 40; seed++) {
      const text = `# Prices ${seed}\n\n${wide}${joined(20, (i) => `| SP-${seed}${i} | ${i} | ${seed} | 7 | 9 |\n`)}`
      for (const { content } of chunk(text, { targetTokens: 300, overlapTokens: 30 }))
        expect(content).toContain(`${wide}| SP-`)
    }
  })

  test('in a table repeats the header above the rows of its overlap', () => {
    const chunks = expectSound(many, { targetTokens: 80, overlapTokens: 30 })
    for (const { content } of chunks) expect(content.startsWith(`${header}| SP-`)).toBe(true)
    expect(chunks.some((_, index) => overlapOf(many, chunks, index) !== '')).toBe(true)
  })

  test('in a list keeps an item whole if it fits beside the repeated part', () => {
    const items = Array.from({ length: 8 }, (_, i) => `- ${paragraph(i, 14)}\n`)
    const chunks = expectSound(`We say:\n${items.join('')}`, { targetTokens: 400, overlapTokens: 0 })
    expect(contentsOf(chunks)).toEqual(items.map((item) => `We say:\n${item}`))
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

  test('with a target beyond the provider stays below its 8,192 tokens, headings included', () => {
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
