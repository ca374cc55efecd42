import { type ClientConfig, Pool } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startNeonEndpoint } from '../../../infra/local/database/neon-endpoint.ts'
import { createEmptyDatabase } from '../../support/empty-database.ts'
import { useStageTools } from '../../support/stage.ts'

const types = { getTypeParser: () => (value: string) => value } as ClientConfig['types']
let close: () => Promise<void>

// Before the tools’ own, since the last one runs first.
afterAll(() => close())

const stage = useStageTools(async () => {
  const { url, drop } = await createEmptyDatabase()
  const pool = new Pool({ connectionString: url, types, max: 1 })
  pool.on('error', () => {})
  const endpoint = await startNeonEndpoint({ pool, owner: new URL(url).username })
  close = async () => {
    await endpoint.close()
    await pool.end()
    await drop()
  }
  return { url, endpoint: `http://127.0.0.1:${endpoint.port}`, pool }
})
test('create brings an empty account and an empty database to where the deploy’s checks pass', async () => {
  const planned = await stage.run(['create', 'prod', '--dry-run', '--json'])
  const steps = JSON.parse(planned.stdout).steps as { state: string; what: string }[]
  expect(steps.every(({ state }) => state === 'to do')).toBe(true)
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  const checked = await stage.run(['status', 'prod', '--json'])
  expect(JSON.parse(checked.stdout)).toMatchObject({ is_well: true, stack: 'not deployed' })
})
