import fc from 'fast-check'
import tokenList from 'gpt-tokenizer/bpeRanks/cl100k_base'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { expect, test } from 'vitest'
import { SpanTable } from '../../shared/chunking/span-table.ts'
import { TokenCounter } from '../../shared/chunking/token-counter.ts'
import { makeTokenRanks, slotCount } from '../../shared/chunking/token-ranks.ts'
import { isThorough } from '../support/tools/effort.ts'

const tokens = (text: string) => encode(text, { disallowedSpecial: new Set() }).length

const pieces = fc.constantFrom(
  ..."a_The_unbelievably_ _  _\n_\n\n_\r\n_\r_\t_1_234567_._!?_#_##foo_'s_'LL_'_'shall".split('_'),
  ...'é_e\u0301_漢字_。_😀_👨‍👩‍👧_𝒳_\u00a0_\u3000_Ärger_слово_<|endoftext|>_---_* _\u2028_ก็_½'.split('_'),
)
/** The library fails to find U+FEFF, token 3305, in its own table. */
const binary = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\ufeff', ''))
const joined = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''))
const texts = fc.oneof(joined, binary)

test('the count of any part of a text is the length of its encoding', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, some, other) => {
      const counter = TokenCounter.of(text)
      expect(counter.count(0, text.length)).toBe(tokens(text))
      const [start = 0, end = 0] = [some % (text.length + 1), other % (text.length + 1)].sort((a, b) => a - b)
      const part = text.slice(start, end)
      if (part.isWellFormed()) expect(counter.count(start, end)).toBe(tokens(part))
    }),
    { numRuns: isThorough ? 5000 : 100 },
  )
})

test('a cached word counts the same before any text', () => {
  const words = ['ab', ' ab', '.ab', '\tab', "'s", "'l", '!', ' !', '\t!', '!\n', 'x'.repeat(62), 'x'.repeat(63)]
  for (const word of words) TokenCounter.of(`${word}1`)
  const following = '𝒳_𝒳b_😀_l_love_!_\n_\r\n_ _\u00a0_1_漢_\u0301_x_\u0589_\u0561'.split('_')
  for (const text of words.flatMap((word) => following.map((next) => `${word}${next} at the end`)))
    expect(TokenCounter.of(text).count(0, text.length), JSON.stringify(text)).toBe(tokens(text))
})

test.each(['ab𝒳', '!😀', 'x😀'])('a cached word ends where %s is split', (text) => {
  TokenCounter.of(`${text[0]} ${text.slice(0, -2)} `)
  expect(TokenCounter.of(text).isEdge(text.length - 2)).toBe(text === 'x😀')
})

test('an unbroken run of 256 units or more is never counted too low, and words at most a fifth too high', () => {
  const part = fc.string({ unit: fc.constantFrom(...'abehinostф花园价-#!?\n '), minLength: 1, maxLength: 9 })
  const parts = fc.array(part, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(parts, fc.integer({ min: 260, max: 2000 }), (some, length) => {
      const text = some.join('').repeat(length).slice(0, length)
      expect(TokenCounter.of(text).count(0, length)).toBeGreaterThanOrEqual(tokens(text))
    }),
    { numRuns: isThorough ? 300 : 30 },
  )
  for (const word of ['x', 'Donaudampfschifffahrtsgesellschaft', '花园座位价格', 'garden']) {
    const text = word.repeat(3000 / word.length)
    expect(TokenCounter.of(text).count(0, text.length)).toBeLessThanOrEqual(tokens(text) * 1.2)
  }
})

test('an unbroken run of fewer than 256 units is counted exactly', () => {
  for (const word of ['x', 'Donaudampfschifffahrtsgesellschaft', '花园座位价格', 'garden', '-', '\n', ' ', '\t']) {
    for (const length of [63, 64, 65, 128, 250]) {
      const text = word.repeat(length).slice(0, length)
      for (const whole of [text, `a.${text}.a`])
        expect(TokenCounter.of(whole).count(0, whole.length)).toBe(tokens(whole))
    }
  }
})

const utf8 = new TextEncoder()

test('the deployed table has the rank of every token', () => {
  const table = SpanTable.ofFile(makeTokenRanks().toFile(), slotCount)
  const ranks = tokenList.map((token) => {
    const bytes = Uint16Array.from(typeof token === 'string' ? utf8.encode(token) : token)
    return table.get(bytes, 0, bytes.length)
  })
  expect(ranks.filter((rank, index) => rank !== index)).toHaveLength(0)
})

test('a full table drops entries', () => {
  const table = SpanTable.empty(8, 100)
  const spans = Uint16Array.from({ length: 100 }, (_, i) => i)
  for (let start = 0; start < 6; start++) {
    table.set(spans, start, start + 2, start)
    expect(table.get(spans, start, start + 2)).toBe(start)
  }
  expect([0, 3, 4, 5].map((start) => table.get(spans, start, start + 2))).toEqual([-1, -1, 4, 5])
  table.set(spans, 0, 97, 7)
  expect([4, 5].map((start) => table.get(spans, start, start + 2))).toEqual([-1, -1])
  expect(table.get(spans, 0, 97)).toBe(7)
})
