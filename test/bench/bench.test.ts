import { describe, expect, test } from 'vitest'
import { ours } from './part.ts'
import { toMeasured } from './report/run.ts'
import { interleaved } from './rounds.ts'
import { exactOf } from './stage/exact.ts'
import { summarize } from './statistics.ts'

test('a summary is linear between ranks', () => {
  expect(summarize([5, 1, 3])).toEqual({ runs: 3, median: 3, lower: 2, upper: 4, p95: 4.8, mean: 3 })
})

describe('the ratio to the best peer', () => {
  const samples = { [ours]: [2], slow: [10], fast: [4] }

  test('is above one where ours is better, whichever way the figure goes', () => {
    expect(toMeasured({ work: '', unit: 'ms', better: 'less', samples })).toMatchObject({ bestPeer: 'fast', ratio: 2 })
    expect(toMeasured({ work: '', unit: '/s', better: 'more', samples })).toMatchObject({
      bestPeer: 'slow',
      ratio: 0.2,
    })
  })

  test('meets a goal or not', () => {
    const met = (goal: { times: number; than?: string }) =>
      toMeasured({ work: '', unit: 'ms', better: 'less', samples, goal }).met
    expect([met({ times: 2 }), met({ times: 3 }), met({ times: 5, than: 'slow' })]).toEqual([true, false, true])
  })
})

test('rounds begin with the next contestant in turn', async () => {
  const order: string[] = []
  const play = (name: string) => () => Promise.resolve(void order.push(name))
  await interleaved({ a: play('a'), b: play('b'), c: play('c') }, { rounds: 3, warmUps: 0 })
  expect(order.join('')).toBe('abcbcacab')
})

describe('recall', () => {
  /** Chunk n has a cosine to the query of 1 - n / 1000, but that the last two are as good as equal. */
  const scores = [1, 0.999, 0.998, 0.99795]
  const query = new Float32Array(1536).with(0, 1)
  const vectors = { of: (n: number) => new Float32Array(1536).with(0, scores[n]!), query: () => Promise.resolve(query) }
  const recallOf = (...found: number[]) =>
    exactOf(vectors, 4).recall(
      query,
      found.map((n) => `## Topic ${n}`),
      3,
    )

  test('counts places, and whatever is as good as the last of them', () => {
    expect(recallOf(0, 1, 2)).toBe(1)
    expect(recallOf(0, 1, 3)).toBe(1)
    expect(recallOf(0, 1)).toBeCloseTo(2 / 3)
    expect(recallOf(0, 0, 0)).toBeCloseTo(1 / 3)
  })
})
