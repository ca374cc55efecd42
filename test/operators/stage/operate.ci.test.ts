import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { regular } from '../../../infra/aws/concurrency.ts'
import { readStageFile, writeStageFile } from '../../../infra/aws/stage-file.ts'
import { lambdaNames, queues } from '../../../infra/wiring.ts'
import { useStageOf } from '../../support/aws/stage.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)

beforeEach(async () => {
  await stand.pool.query('truncate organizations, operator_actions cascade')
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
})
afterEach(() => stand.pool.query('drop role if exists cuecard_operator_ada'))

const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await stage.run([...args, '--json'])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

describe('npm run stage -- pause, resume', () => {
  test('stop the queues and every Lambda, and give each back what the stage reserves for it', async () => {
    await json('pause', 'prod')
    expect(Object.fromEntries(stage.aws.reservations)).toEqual(
      Object.fromEntries(lambdaNames.map((name) => [`cuecard-prod-${name}`, 0])),
    )
    const mappings = Object.keys(queues).map((name) => `cuecard-prod-${name}:live`)
    expect(Object.fromEntries(stage.aws.mappings)).toEqual(Object.fromEntries(mappings.map((name) => [name, false])))
    await json('resume', 'prod')
    expect(Object.fromEntries(stage.aws.reservations)).toEqual(
      Object.fromEntries(Object.entries(regular).map(([name, count]) => [`cuecard-prod-${name}`, count])),
    )
    expect([...stage.aws.mappings.values()]).toEqual(mappings.map(() => true))
  })
})

describe('npm run stage -- operator', () => {
  test('gives a person a login in the operators’ role only, then a new password, and removes it', async () => {
    const first = await json('operator', 'prod', 'ada')
    const second = await json('operator', 'prod', 'ada')
    expect(first.operator_url).not.toBe(second.operator_url)
    expect(new URL(second.operator_url).username).toBe('cuecard_operator_ada')
    const { rows } = await stand.pool.query(
      `select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = 'cuecard_operator_ada'::regrole`,
    )
    expect(rows).toEqual([{ rolname: 'cuecard_operator' }])
    await json('operator', 'prod', 'ada', '--remove')
    const left = await stand.pool.query(`select from pg_roles where rolname = 'cuecard_operator_ada'`)
    expect(left.rows).toEqual([])
  })

  test('says so where the stage’s file is older than a restore', async () => {
    const file = readStageFile(stage.directory, 'prod')!
    await writeStageFile(stage.directory, 'prod', { ...file, databaseHost: 'ep-former.eu-central-1.aws.neon.tech' })
    const { code, stderr } = await stage.run(['operator', 'prod', 'ada'])
    const { hostname } = new URL(stage.ownerUrl())
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: prod is at ${hostname}, but infra/aws/stages/prod.json names another host: pull it\n`,
    })
  })

  test('refuses a name that is no part of a login', async () => {
    expect(await stage.run(['operator', 'prod', 'Ada; drop'])).toMatchObject({ code: 1 })
  })
})

describe('npm run stage -- secret', () => {
  test('replaces the provider’s key with one that works', async () => {
    stage.provider.keys.add('sk-another-key')
    await stage.run(['secret', 'prod', 'provider'], { env: { ...stage.answers(), PROVIDER_KEY: 'sk-another-key' } })
    expect(stage.secret('provider')).toBe('sk-another-key')
  })

  test('keeps the old one if the new one does not work', async () => {
    const env = { ...stage.answers(), PROVIDER_KEY: 'sk-wrong', OWNER_URL: 'postgresql://nobody@127.0.0.1:1/none' }
    for (const name of ['provider', 'database-owner'] as const) {
      const kept = stage.secret(name)
      expect(await stage.run(['secret', 'prod', name], { env })).toMatchObject({ code: 1 })
      expect(stage.secret(name)).toBe(kept)
    }
  })
})
