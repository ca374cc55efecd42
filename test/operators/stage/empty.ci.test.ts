import { afterAll, expect, test } from 'vitest'
import { regular } from '../../../infra/aws/concurrency.ts'
import { migrateLambdaOf, useStageTools } from '../../support/aws/stage.ts'
import { serveEmptyDatabase } from '../../support/database/empty-database.ts'

let close: () => Promise<void>

// Before the tools’ own, since the last one runs first.
afterAll(() => close())

const stage = useStageTools(async () => {
  const { close: end, ...database } = await serveEmptyDatabase()
  close = end
  return database
})

test('create and restore bring an account and a database to a state that passes the deploy’s checks', async () => {
  const planned = await stage.run(['create', 'prod', '--dry-run', '--json'])
  const steps = JSON.parse(planned.stdout).steps as { state: string; what: string }[]
  expect(steps.every(({ state }) => state === 'to do')).toBe(true)
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  // A restore in place, by Neon itself, leaves the logins of its moment.
  await stage.pool.query('alter role cuecard_search_1 nologin password null')
  const paused = new Set<number>()
  stage.onPause(() => {
    for (const count of stage.aws.reservations.values()) paused.add(count)
    return Promise.resolve()
  })
  const restored = await stage.run(['restore', 'prod', '--yes'])
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringMatching(/cuecard-prod has no canary/) })
  expect([[...paused], stage.aws.reservations.size]).toEqual([[0], Object.keys(regular).length])
  const checked = await stage.run(['status', 'prod', '--secrets', '--json'])
  expect(JSON.parse(checked.stdout)).toMatchObject({ is_well: true, stack: 'not deployed' })
})

test('a release that adds a Lambda is deployed without create: its secret and its login are made', async () => {
  const added = 'cuecard/prod/database-delivery'
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  const others = new Map(stage.aws.secrets)
  others.delete(added)
  stage.aws.secrets.delete(added)
  await stage.pool.query('drop role cuecard_delivery_1')
  stage.onDeploy(async () => {
    const migrate = await migrateLambdaOf(stage)
    stage.aws.lambdas.set('cuecard-prod-migrate', migrate)
    stage.aws.lambdas.set('cuecard-prod-canary:live', () => Promise.resolve({ milliseconds: {} }))
    expect(await migrate({})).toEqual({ applied: [], made: ['delivery'] })
  })
  const { code, stderr } = await stage.run(['deploy', 'prod'])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(URL.parse(stage.aws.secrets.get(added)!)!.username).toBe('cuecard_delivery_1')
  stage.aws.secrets.delete(added)
  expect(stage.aws.secrets).toEqual(others)
})

test('a deploy is refused where the Lambda that migrates finds a login that does not work', async () => {
  await stage.run(['create', 'prod', '--yes'])
  stage.aws.lambdas.set('cuecard-prod-migrate', await migrateLambdaOf(stage))
  await stage.pool.query('alter role cuecard_search_1 nologin password null')
  const { code, stderr } = await stage.run(['deploy', 'prod'])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/error +database-search: /) })
  expect(stage.aws.stacks.has('cuecard-prod')).toBe(false)
})
