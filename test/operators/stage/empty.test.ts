import { Pool } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { regular } from '../../../infra/aws/concurrency.ts'
import { passwordCheck } from '../../../infra/local/database/logins.ts'
import { startNeonEndpoint } from '../../../infra/local/database/neon-endpoint.ts'
import { pgliteSessions } from '../../../infra/local/database/sessions.ts'
import { createEmptyDatabase } from '../../support/empty-database.ts'
import { useStageTools } from '../../support/stage.ts'

let close: () => Promise<void>

// Before the tools’ own, since the last one runs first.
afterAll(() => close())

const stage = useStageTools(async () => {
  const { url, drop } = await createEmptyDatabase()
  const pool = new Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  const owner = Object.assign(new URL(url), { password: 'local' })
  const isRight = passwordCheck(pool, { user: owner.username, password: owner.password, database: '' })
  const endpoint = await startNeonEndpoint({ ...pgliteSessions(pool), isRight })
  close = async () => {
    await endpoint.close()
    await pool.end()
    await drop()
  }
  return { url: owner.href, endpoint: `http://127.0.0.1:${endpoint.port}`, pool }
})

test('create, and restore, bring an account and a database to where the deploy’s checks pass', async () => {
  const planned = await stage.run(['create', 'prod', '--dry-run', '--json'])
  const steps = JSON.parse(planned.stdout).steps as { state: string; what: string }[]
  expect(steps.every(({ state }) => state === 'to do')).toBe(true)
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  // As after a restore of Neon's own, in place: the logins are those of its moment.
  await stage.pool.query('alter role cuecard_search_1 nologin password null')
  const paused = new Set<number>()
  stage.onPause(() => {
    for (const count of stage.aws.reservations.values()) paused.add(count)
    return Promise.resolve()
  })
  const restored = await stage.run(['restore', 'prod', '--yes'])
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringMatching(/cuecard-prod has no base URL/) })
  expect([[...paused], stage.aws.reservations.size]).toEqual([[0], Object.keys(regular).length])
  const checked = await stage.run(['status', 'prod', '--json'])
  expect(JSON.parse(checked.stdout)).toMatchObject({ is_well: true, stack: 'not deployed' })
})
