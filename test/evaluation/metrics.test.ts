import { describe, expect, test } from 'vitest'
import { auc, bestThreshold, halfOf, sharesAt, tally } from './metrics.ts'

test('a tally counts the first place and the first five, and averages reciprocal ranks', () => {
  expect(tally([1, 2, 5, 10, undefined])).toEqual({
    questions: 5,
    hit1: 1,
    hit5: 3,
    mrr: (1 + 1 / 2 + 1 / 5 + 1 / 10) / 5,
  })
})

describe('the area under the curve', () => {
  test('is the share of pairs in which the positive is higher, a tie counted half', () => {
    expect(auc([0.9, 0.8], [0.1, 0.2])).toBe(1)
    expect(auc([0.1], [0.9, 0.8])).toBe(0)
    expect(auc([0.9, 0.4], [0.5, 0.4])).toBe(2.5 / 4)
  })

  test('takes nothing found as lower than any score', () => {
    const nothing = Number.NEGATIVE_INFINITY
    expect(auc([0], [nothing])).toBe(1)
    expect(auc([nothing], [nothing])).toBe(0.5)
  })

  test('needs both', () => {
    expect([auc([1], []), auc([], [1]), bestThreshold([1], []), sharesAt(0.5, [], [1])]).toEqual(
      Array(4).fill(undefined),
    )
  })
})

describe('the best threshold', () => {
  test('lies amid those that separate best', () => {
    expect(bestThreshold([0.6, 0.7], [0.1, 0.2])).toBe(0.4)
    expect(bestThreshold([0.05, 0.6, 0.7], [0.1, 0.59])).toBe(0.6)
  })

  test('keeps what scores as much', () => {
    expect(sharesAt(0.5, [0.5, 0.4], [0.5, 0.4, 0.3, 0.2])).toEqual({ kept: 1 / 2, rejected: 3 / 4 })
  })
})

test('ids fall into two halves of about the same size', () => {
  const halves = Array.from({ length: 1000 }, (_, n) => halfOf(`bakery-${n}`))
  expect(halves.filter((half) => half === 'tune').length).toBeGreaterThan(450)
  expect(halves.filter((half) => half === 'report').length).toBeGreaterThan(450)
})
