import { describe, expect, test } from 'vitest'
import { lambdas, type QueueName, queues } from '../../infra/wiring.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'

describe.each(Object.keys(queues) as QueueName[])('a message of the %s queue', (name) => {
  const queue = queues[name]

  test('stays hidden for six time-outs of its function', () => {
    expect(queue.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * lambdas[name].timeoutSeconds)
  })

  test('is received at least five times before it is a dead letter, which outlasts its queue', () => {
    expect(queue.maxReceiveCount).toBeGreaterThanOrEqual(5)
    expect(queue.deadLetterRetentionDays).toBeGreaterThan(queue.retentionDays)
  })
})

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
