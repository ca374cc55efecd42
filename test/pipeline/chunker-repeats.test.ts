import { describe, expect, test } from 'vitest'
import { type ChunkSize, chunk } from '../../shared/chunking/chunker.ts'
import { partsOf } from '../support/tools/repeated-lines.ts'
import {
  contentsOf,
  effort,
  expectSound,
  joined,
  overlapOf,
  paragraph,
  sentence,
  small,
  tokens,
} from './sound-chunks.ts'

describe('a chunk', () => {
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

  test.each(repeating)('repeats only the lines that its text needs: %s', (_, text, ...repeated) => {
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

  test('with the header in its overlap has it once', () => {
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
