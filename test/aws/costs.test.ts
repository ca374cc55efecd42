import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { retiredSecretNames, secretNames } from '../../infra/aws/stages.ts'
import { type Use, uses } from '../../infra/costs/assumptions.ts'
import { costOf, rows } from '../../infra/costs/costs.ts'
import { type Resources, resourcesOf } from '../../infra/costs/resources.ts'
import { replaceCosts } from '../../infra/costs/runbook.ts'
import { costTables } from '../../infra/costs/table.ts'
import { useSynthesis } from '../support/aws-template.ts'

const synthesis = useSynthesis()
let resources: Resources
beforeAll(() => {
  resources = resourcesOf(synthesis.outdir, 'prod')
})

test('the runbook has what npm run costs reckons from the template', () => {
  const runbook = readFileSync(join(import.meta.dirname, '../../infra/README.md'), 'utf8')
  expect(replaceCosts(runbook, costTables(resources))).toBe(runbook)
})

test('an alarm that computes costs each of its metrics', () => {
  const alarms = synthesis.stack('prod').ofType('AWS::CloudWatch::Alarm')
  const throttles = alarms.find(([, { Properties }]) => Properties.AlarmName === 'cuecard-prod-lambda-throttles')!
  const inThrottles = (throttles[1].Properties.Metrics as object[]).length - 1
  expect(inThrottles).toBeGreaterThan(1)
  expect(resources.alarmMetrics).toBeGreaterThanOrEqual(alarms.length - 1 + inThrottles)
  expect(resources.secrets).toBe(secretNames.length + retiredSecretNames.length)
})

describe('a month with 1,000 organizations', () => {
  const use: Use = uses.find(({ organizations }) => organizations === 1_000)!
  const cost = (item: string) => {
    const row = rows.find((candidate) => candidate.item === item)!
    return costOf(row, use, resources)
  }

  test('has ten million searches, of which each costs the provider’s wait in a Lambda', () => {
    expect(use.searches).toBe(10_000_000)
    // 7 million of 0.4 s and 3 million of 0.06 s, with half a GB at 13.3334 dollars a million GB-seconds, and 0.20 a million calls.
    const searches = ((7 * 0.4 + 3 * 0.06) / 2) * 13.3334 + 10 * 0.2
    expect(cost('API Lambdas')).toBeGreaterThan(searches)
    expect(cost('API Lambdas')).toBeLessThan(1.1 * searches)
  })

  test('pays for what leaves Neon and for its history', () => {
    expect(cost('Neon: history')).toBeGreaterThan(0)
    // 120 GB of rows, and a backup of 12.6 GB each night, past 100 GB at 0.10.
    expect(cost('Out of Neon: the Lambdas and a backup every night')).toBeCloseTo(12 + 30.4 * 1.26 - 10, 0)
  })
})
