import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ReservedConcurrency } from '../../infra/aws/concurrency.ts'
import { exampleStages as stages } from '../../infra/aws/stages.ts'
import { lambdaNames, lambdas, queueNames, queues } from '../../infra/wiring.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { useSynthesis } from '../support/aws/aws-template.ts'

const synthesis = useSynthesis()

const serving = lambdaNames.filter((name) => 'routes' in lambdas[name])

describe.each(['dev', 'prod'] as const)('%s', (stage) => {
  const settings = stages[stage]
  const reserved: ReservedConcurrency = settings.reservedConcurrency!

  test('reserves executions for each Lambda that serves, so that none takes those of another', () => {
    const template = synthesis.stack(stage)
    for (const lambda of lambdaNames)
      expect(template.lambda(lambda).Properties.ReservedConcurrentExecutions, lambda).toBe(reserved[lambda])
    expect(Object.keys(reserved).toSorted()).toEqual(serving.toSorted())
  })

  test('uses at most as many connections at once as the database admits', () => {
    // One per serving instance, and one per message of a worker's batch. Most snapshots wait, and look for a few milliseconds a second.
    const { reference: _, snapshot = 0, ...connecting } = reserved
    const ofWorkers = queueNames.map((name) => settings.workers[name] * queues[name].batchSize)
    // The sweeper, migrations, operators and deliveries. These send three statements at a time, and two runs may overlap.
    const others = 10
    const atOnce = [...Object.values(connecting), snapshot / 5, ...ofWorkers, others].reduce(
      (sum, count) => sum + count,
      0,
    )
    expect(atOnce).toBeLessThanOrEqual(settings.databaseConnections)
  })
})

test('both stages leave a hundred of an account’s thousand executions unreserved, beside those of the workers', () => {
  const executions = Object.values(stages).flatMap((stage) => [
    ...Object.values(stage.workers),
    ...Object.values(stage.reservedConcurrency!),
  ])
  expect(executions.reduce((sum, number) => sum + number, 0)).toBeLessThanOrEqual(900)
})

test('the first page asks for the executions that prod needs', () => {
  const scheduled = lambdaNames.filter((name) => 'everySeconds' in lambdas[name])
  const { reservedConcurrency, workers } = stages.prod
  const counts = [...Object.values(reservedConcurrency), ...Object.values(workers), scheduled.length + 1]
  const needed = counts.reduce((sum, count) => sum + count, 100)
  const page = readFileSync(join(import.meta.dirname, '../../infra/README.md'), 'utf8')
  expect(page).toContain(`prod needs ${needed}.`)
})

test('a route belongs to one function, which times out before the gateway does', () => {
  const served = Object.values(lambdas).filter((lambda) => 'routes' in lambda)
  const routes = served.flatMap((lambda) => [...lambda.routes])
  expect(new Set(routes).size).toBe(routes.length)
  expect(Math.max(...served.map((lambda) => lambda.timeoutSeconds))).toBeLessThan(30)
})

// These ignore the deadline: the key, a platform's secret, and the check for documents to search.
test.each([
  ['platforms', 3, timeouts.deadlineMilliseconds],
  ['search', 1, timeouts.maxDeadlineMilliseconds],
] as const)(
  '%s responds before its Lambda times out, however slow database and provider are',
  (name, trips, deadline) => {
    const coldStart = 5
    expect(coldStart + trips * timeouts.databaseSeconds + (deadline + timeouts.graceMilliseconds) / 1000).toBeLessThan(
      lambdas[name].timeoutSeconds,
    )
  },
)
