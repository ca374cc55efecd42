import { describe, expect, test } from 'vitest'
import { fitting, maxAnswer } from '../../functions/platforms/answer-text.ts'

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
