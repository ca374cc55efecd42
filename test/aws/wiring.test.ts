import { expect, test } from 'vitest'
import { lambdas } from '../../infra/wiring.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'

test('the sweeper ends before it is run again', () => {
  expect(lambdas.sweeper.timeoutSeconds).toBeLessThan(lambdas.sweeper.everySeconds)
})

test('a route belongs to one function, which times out before the gateway does', () => {
  const served = Object.values(lambdas).filter((lambda) => 'routes' in lambda)
  const routes = served.flatMap((lambda) => [...lambda.routes])
  expect(new Set(routes).size).toBe(routes.length)
  expect(Math.max(...served.map((lambda) => lambda.timeoutSeconds))).toBeLessThan(30)
})

test('a platform is answered before its Lambda times out', () => {
  const { deadlineMilliseconds, graceMilliseconds, databaseSeconds } = timeouts
  const coldStart = 5
  // Without regard to the deadline: the key, a secret, and whether there is anything to search.
  expect(coldStart + 3 * databaseSeconds + (deadlineMilliseconds + graceMilliseconds) / 1000).toBeLessThan(
    lambdas.platforms.timeoutSeconds,
  )
})

test('a search responds before its Lambda times out, however slow database and provider are', () => {
  const { maxDeadlineMilliseconds, graceMilliseconds, databaseSeconds } = timeouts
  const coldStart = 5
  // The key is looked up without regard to the deadline.
  expect(coldStart + databaseSeconds + (maxDeadlineMilliseconds + graceMilliseconds) / 1000).toBeLessThan(
    lambdas.search.timeoutSeconds,
  )
})
