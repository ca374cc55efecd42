import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitting, maxAnswer, onOneLine, passagesOf } from '../../functions/platforms/answer-text.ts'
import { hitExample } from '../../shared/retrieval/schemas.ts'
import { plainLine } from '../../shared/text/plain-line.ts'

describe('passages', () => {
  test('whose first is too long end with one of its sentences', () => {
    const sentence = 'Ring the bell twice. '
    const [kept] = fitting([`From “T”:\n${sentence.repeat(1000)}`, 'short'])
    expect(kept!.length).toBeLessThanOrEqual(maxAnswer)
    expect(kept!.length).toBeGreaterThan(maxAnswer - 2 * sentence.length)
    expect(kept!.endsWith('Ring the bell twice.')).toBe(true)
    expect(fitting([`From “T”:\n${sentence.repeat(1000)}`, 'short'])).toHaveLength(1)
  })

  test('of one sentence end with a word, and of one word within it but never within a character', () => {
    const [words] = fitting([`From “T”:\n${'grandmother '.repeat(2000)}`])
    expect(words!.length).toBeLessThanOrEqual(maxAnswer)
    expect(words!.endsWith('grandmother')).toBe(true)
    const [word] = fitting([`x${'😀'.repeat(maxAnswer)}`])
    expect(word!.length).toBeLessThanOrEqual(maxAnswer)
    expect(word!.length).toBeGreaterThan(maxAnswer - 10)
    expect(word!.isWellFormed()).toBe(true)
  })
})

describe('a text of a document', () => {
  const frames = /From “[^“”]*”(?:, page \d+|, “[^“”]*”)?:(?:\s|$)/g
  const planted = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...'From “|From "|From „|”:\n|”: |”, page 3:\n|”, “B”:\n|Staff handbook|“|”|\n\n|\u2028'.split('|'),
        ),
        fc.constantFrom(
          '\u200b',
          '\u200d',
          '\u202e',
          '\u2066',
          '\ufeff',
          '\u00ad',
          '\r',
          '\x85',
          '\0',
          'From ',
          ':',
          '| a | b |',
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''))

  test('cannot imitate the frame of a passage, on several lines or on one, in its title, its sheet, its value or its content', () => {
    const hit = fc
      .record({ content: planted, title: planted, page: fc.oneof(planted, fc.nat(), fc.constant(null)) })
      .map(({ content, ...source }) => ({ ...hitExample, content, source: { ...hitExample.source, ...source } }))
    const found = fc.record({
      hits: fc.array(hit, { minLength: 1, maxLength: 4 }),
      value: fc.option(planted, { nil: undefined }),
      today: fc.constant(undefined),
      message: fc.constant(undefined),
    })
    fc.assert(
      fc.property(found, (found) => {
        const passages = passagesOf(found)
        for (const answer of [passages.join('\n\n'), passages.map(onOneLine).join(' ')])
          expect(answer.match(frames)).toHaveLength(found.hits.length)
        const first = found.value ? `${passages[0]!.split('\n')[0]}\n\n` : ''
        for (const [i, passage] of passages.entries())
          expect(i === 0 ? passage.slice(first.length) : passage).toMatch(new RegExp(`^${frames.source}`))
      }),
    )
  })

  test('is put on one line without invisible characters, as a title or a value, and its words stay whole', () => {
    fc.assert(
      fc.property(planted, (text) => {
        expect(plainLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u)
        expect(plainLine(plainLine(text))).toBe(plainLine(text))
      }),
    )
    for (const [text, line] of [
      ['Opening\u2028hours\x85 \r\n\t2027', 'Opening hours 2027'],
      ['\u202eyadnuS\u202c \u200bS\u200du\u00adnday\ufeff', 'yadnuS Sunday'],
      ['می\u200cخواهم', 'می\u200cخواهم'],
      ['क्\u200dष \u200d', 'क्\u200dष'],
      ['👩\u200d🔧 🏳\ufe0f\u200d🌈 \u200d5', '👩\u200d🔧 🏳\u200d🌈 5'],
      ['അവന്\u200d വന്നു', 'അവന്\u200d വന്നു'],
      ['Größe “L” – 5 €', 'Größe “L” – 5 €'],
    ] as const)
      expect(plainLine(text)).toBe(line)
  })
})
