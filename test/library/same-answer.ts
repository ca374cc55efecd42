import { expect } from 'vitest'
import type { SearchAnswer } from '../../infra/library/agent.ts'

/** Scores of the service are of 16-bit vectors of the question, too. */
const tolerance = 1e-3

/** Requires the service's answer of a search in the process. @param query for the message */
export function requireSameAnswer(own: SearchAnswer, theirs: SearchAnswer, query?: string): void {
  expect(own.from).toBe('process')
  expect(own.data.length, query).toBe(theirs.data.length)
  requireSameOrder(own.data, theirs.data)
  const { status, value, dates, degraded } = theirs
  expect(own, query).toMatchObject({ status, value, dates, degraded })
  expect(own.answerable, query).toBeCloseTo(theirs.answerable!, 2)
}

/** The hits in their order; those whose scores tie in either answer may come in any. */
function requireSameOrder(own: SearchAnswer['data'], theirs: SearchAnswer['data']): void {
  const scoreOf = new Map(theirs.map(({ chunk_id, score }) => [chunk_id, score]))
  for (const [i, { chunk_id, score }] of own.entries()) {
    const expected = theirs[i]!
    expect(Math.abs(score - expected.score)).toBeLessThan(tolerance)
    if (chunk_id !== expected.chunk_id)
      expect(Math.abs((scoreOf.get(chunk_id) ?? 0) - expected.score)).toBeLessThan(tolerance)
  }
}
