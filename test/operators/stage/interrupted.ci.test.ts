import { describe, expect, test } from 'vitest'
import { type DatabaseUser, databaseUsers } from '../../../infra/wiring.ts'
import { hashKey } from '../../../shared/http/api-keys.ts'
import { useStageOf } from '../../support/aws/stage.ts'
import { useStand } from '../../support/stand/stand.ts'
import { isThorough } from '../../support/tools/effort.ts'

const stand = useStand()
const stage = useStageOf(stand)

/** Runs a command as if it were killed before its write number `last`. @returns the writes that it began */
async function cutOff(args: string[], last: number): Promise<number> {
  let writes = 0
  const cut = () => {
    if (++writes >= last) throw new Error('interrupted')
  }
  Object.assign(stage.proxy, { beforeWrite: cut })
  stage.aws.beforeWrite = cut
  const { code } = await stage.run(args)
  stage.proxy.beforeWrite = () => {}
  stage.aws.beforeWrite = () => {}
  expect(code).toBe(writes < last ? 0 : 1)
  return writes
}

const urlIn = (lambda: DatabaseUser) => stage.secret(`database-${lambda}`)

/** Every URL in a secret lets its Lambda in. */
async function expectWorkingSecrets(lambdas: readonly DatabaseUser[]): Promise<void> {
  for (const lambda of lambdas) {
    const url = urlIn(lambda)
    if (!url) continue
    const headers = { 'neon-connection-string': url }
    const body = JSON.stringify({ query: 'select 1', params: [] })
    const answer = await fetch(`${stage.proxy.origin}/sql`, { method: 'POST', headers, body })
    expect(answer.status, `${lambda}: ${answer.status}`).toBe(200)
  }
}

async function openLogins(): Promise<string[]> {
  const { rows } = await stand.pool.query<{ rolname: string }>(
    `select rolname from pg_roles where rolname ~ '^cuecard_.*_[12]$' and rolcanlogin order by 1`,
  )
  return rows.map(({ rolname }) => rolname)
}

describe('a command that is interrupted before any of its writes, and run again, ends the same', () => {
  test('create', async () => {
    const create = ['create', 'prod', '--yes']
    const all = await cutOff(create, Number.POSITIVE_INFINITY)
    expect(all).toBeGreaterThan(2 * databaseUsers.length)
    // The logins' writes are alike, so unless thorough two of them are enough.
    const writes = Array.from({ length: all }, (_, i) => i + 1)
    const few = writes.filter((write) => write <= 7 || write > all - 8)
    for (const write of isThorough ? writes : few) {
      await stage.clear()
      await cutOff(create, write)
      await expectWorkingSecrets(databaseUsers)
      expect(await stage.run(create), `after write ${write}`).toMatchObject({ code: 0 })
      await expectWorkingSecrets(databaseUsers)
      expect(await openLogins()).toEqual(databaseUsers.map((name) => `cuecard_${name}_1`).toSorted())
      const { rows } = await stand.pool.query(
        `select (select count(*) from organizations)::int as organizations, (select count(*) from agents)::int as agents,
          array_agg(key_hash = $1) as is_kept from api_keys where revoked_at is null`,
        [hashKey(stage.secret('canary')!)],
      )
      expect(rows, `after write ${write}`).toEqual([{ organizations: '1', agents: '1', is_kept: '{t}' }])
    }
  }, 600_000)

  test('rotate, with a login that works in each secret at every moment', async () => {
    const lambdas = ['search', 'chunks'] as const
    const rotate = ['rotate', 'prod', '--yes', '--login', ...lambdas]
    await stage.run(['create', 'prod', '--yes'])
    const all = await cutOff(rotate, Number.POSITIVE_INFINITY)
    expect(all).toBe(6)
    for (let write = 1; write <= all; write++) {
      await cutOff(rotate, write)
      await expectWorkingSecrets(lambdas)
      expect(await stage.run(rotate)).toMatchObject({ code: 0 })
      await expectWorkingSecrets(lambdas)
      const open = (await openLogins()).filter((name) => /search|chunks/.test(name))
      expect(open).toEqual(lambdas.map((lambda) => URL.parse(urlIn(lambda)!)!.username).toSorted())
    }
  })
})

test('create ends with one sentence for each missing permission, and continues once it is granted', async () => {
  const create = ['create', 'prod', '--yes']
  await stage.run(create)
  const needed = [...stage.aws.called]
  expect(needed.length).toBeGreaterThan(4)
  for (const action of needed) {
    await stage.clear()
    stage.aws.denied.add(action)
    const { code, stderr } = await stage.run(create)
    expect(code, action).toBe(1)
    expect(stderr).toMatch(new RegExp(`^error.*not authorized to perform: ${action}.*infra/README\\.md`, 'm'))
    expect(await openLogins(), action).toEqual([])
    stage.aws.denied.clear()
    expect(await stage.run(create), action).toMatchObject({ code: 0 })
  }
})
