import { expect, test } from 'vitest'
import { circuitBreaker } from '../../shared/embedding/circuit-breaker.ts'
import { steadyClock } from '../../shared/time/steady-clock.ts'

const day = 86_400_000

/** A clock of a process whose wall clock and elapsed time a test moves. */
function clockOf() {
  const at = { wall: 1_000_000, elapsed: 50 }
  const [wall, elapsed] = [() => at.wall, () => at.elapsed]
  const pass = (by: number) => Object.assign(at, { wall: at.wall + by, elapsed: at.elapsed + by })
  return { at, now: steadyClock(wall, elapsed), pass }
}

test.each([
  ['goes with the time', 0, 0],
  ['goes on when the wall clock is set back by an hour', -3_600_000, 0],
  ['goes on when the wall clock is set back by a day', -day, 0],
  ['jumps ahead when the wall clock is set forward, or elapsed time has stood still', day, day],
])('a steady clock %s', (_, shift, ahead) => {
  const { at, now, pass } = clockOf()
  at.wall += shift
  expect(now()).toBe(1_000_000 + ahead)
  at.wall -= ahead
  pass(15_000)
  expect(now()).toBe(1_015_000 + ahead)
})

test('a steady clock does not drift by the difference between two clocks read one after the other', () => {
  const { at, now } = clockOf()
  for (let i = 0; i < 1_000; i++) {
    at.elapsed += 0.1
    if (i % 10 === 9) at.wall += 1
    now()
  }
  expect(now()).toBeCloseTo(1_000_100, 0)
})

test('a circuit breaker that opened before the wall clock was set back lets its probe through after its pause', () => {
  const { at, now, pass } = clockOf()
  const breaker = circuitBreaker(now)
  breaker.onFailure({ initial: 15_000, max: 60_000 })
  at.wall -= day
  expect(breaker.tryAcquire()).toBe(false)
  pass(15_000)
  expect(breaker.tryAcquire()).toBe(true)
})
