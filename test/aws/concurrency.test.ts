import { describe, expect, test } from 'vitest'
import { connectionsAtOnce, type ReservedConcurrency } from '../../infra/aws/concurrency.ts'
import { type StageSettings, stages } from '../../infra/aws/stages.ts'
import { type Lambda, type LambdaName, lambdaNames, lambdas } from '../../infra/wiring.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import { useSynthesis } from '../support/aws-template.ts'

const synthesis = useSynthesis()

const serving = (Object.entries(lambdas) as [LambdaName, Lambda][]).flatMap(([name, { routes }]) =>
  routes ? [name] : [],
)
const stagesByName = Object.entries(stages) as ['dev' | 'prod', StageSettings][]
const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)

describe.each(stagesByName)('%s', (name, settings) => {
  const reserved: ReservedConcurrency = settings.reservedConcurrency!

  test('reserves executions for each Lambda that serves, so that none takes those of another', () => {
    const template = synthesis.stack(name)
    for (const lambda of lambdaNames)
      expect(template.lambda(lambda).Properties.ReservedConcurrentExecutions, lambda).toBe(reserved[lambda])
    expect(Object.keys(reserved).toSorted()).toEqual(serving.toSorted())
  })

  test('asks for no more connections at once than the database admits', () => {
    expect(connectionsAtOnce(reserved, settings)).toBeLessThanOrEqual(settings.databaseConnections)
  })

  test('has executions for a burst of searches, and for as many a second as the throttle lets in, of 0.3 s each', () => {
    expect(reserved.search).toBeGreaterThanOrEqual(settings.throttle.burst / 2)
    expect(sumOf(Object.values(reserved))).toBeGreaterThanOrEqual(0.3 * settings.throttle.requestsPerSecond)
  })
})

test('a provider that hangs takes no more of production than what is reserved for searches, at 50 a second', () => {
  const hanging = 50 * (timeouts.deadlineMilliseconds / 1000)
  expect(stages.prod.reservedConcurrency.search).toBeGreaterThanOrEqual(hanging)
})

test('both stages leave a hundred of an account’s thousand executions unreserved, beside those of the workers', () => {
  const workers = sumOf(stagesByName.map(([, stage]) => stage.embeddingConcurrency + stage.extractionConcurrency))
  const reserved = sumOf(stagesByName.flatMap(([, stage]) => Object.values(stage.reservedConcurrency!)))
  expect(reserved + workers).toBeLessThanOrEqual(900)
})
