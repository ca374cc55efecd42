import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createOrganization } from '../../infra/admin/organizations.ts'
import { urlOfRole } from '../../infra/postgres-url.ts'
import { Database } from '../../shared/database/database.ts'
import { newId } from '../../shared/ids.ts'
import { useStand } from '../support/stand/stand.ts'
import { cuecard, cuecardJson } from '../support/tools/command-line.ts'

const stand = useStand()
const run = <Row>(statement: RawBuilder<Row>) => statement.execute(stand.db)

/** The database, reached directly with an operator's login. */
function asOperator(): Database {
  return new Database({ url: () => urlOfRole(process.env.DATABASE_URL!, 'cuecard_operator'), timeoutSeconds: 15 })
}

const actionsOf = async (organization: string) =>
  (await cuecardJson('audit', 'list', '--organization', organization)).data

describe('the record of operators’ actions', () => {
  test('says who did what to whom, when, and with which outcome; reading leaves no row', async () => {
    const { id: organization } = await cuecardJson('organization', 'create', '--name', 'Lighthouse Inn')
    const { id: agent } = await cuecardJson('agent', 'create', '--organization', organization, '--name', 'Front desk')
    const permissions = ['--permissions', 'kb:read,kb:write']
    const expires = '2099-01-01T00:00:00.000Z'
    const create = ['key', 'create', '--organization', organization, '--name', 'k', '--expires', expires]
    const { id: key } = await cuecardJson(...create, ...permissions)
    await cuecardJson('key', 'revoke', key, '--as', 'Grace')
    for (const group of ['agent', 'key', 'document', 'call'])
      await cuecardJson(group, 'list', '--organization', organization)
    await cuecardJson('organization', 'show', organization)
    await cuecardJson('agent', 'show', agent)
    await cuecardJson('health')

    const done = { person: 'ada@lighthouse', organization_id: organization, outcome: 'done', detail: null }
    const created = ['--organization', organization, '--name', '…']
    expect(await actionsOf(organization)).toMatchObject([
      { ...done, command: 'key revoke', arguments: [key], person: 'Grace' },
      { ...done, command: 'key create', arguments: [...created, ...permissions, '--expires', expires] },
      { ...done, command: 'agent create', arguments: created },
      { ...done, command: 'organization create', arguments: ['--name', '…'] },
    ])
    const { rows } = await run(sql<{ login: string; took: number }>`
      select login, extract(epoch from ended_at - started_at)::float as took from operator_actions
      where organization_id = ${organization}`)
    for (const { login, took } of rows) expect([login, took >= 0]).toEqual(['cuecard_operator_local', true])
  })

  test('has neither names nor secrets', async () => {
    const { organizationId: organization, agentId: agent } = await stand.tenant()
    const secret = 'key_9d2f4c1b7a6e4f0c8b3a'
    expect(await cuecard(['agent', 'retell-secret', agent], { stdin: secret })).toMatchObject({ code: 0 })
    const create = ['key', 'create', '--organization', organization, '--name', 'Mr Smith', '--permissions', 'kb:read']
    const { key } = await cuecardJson(...create)
    const { stdout } = await cuecard(['audit', 'list', '--organization', organization, '--json'])
    expect(JSON.parse(stdout).data).toHaveLength(2)
    for (const hidden of [secret, key, 'Smith']) expect(stdout).not.toContain(hidden)
  })

  test('has commands that failed, with the reason, and those of documents of one organization', async () => {
    const { organizationId: organization, knowledgeBase, call } = await stand.tenant()
    const stranger = newId()
    const failed = await cuecard(['agent', 'create', '--organization', stranger, '--name', 'A'])
    expect(failed).toEqual({ code: 1, stdout: '', stderr: `error: no such organization: ${stranger}\n` })
    const said = { command: 'agent create', outcome: 'failed', detail: `no such organization: ${stranger}` }
    expect(await actionsOf(stranger)).toMatchObject([said])
    const { body } = await call('POST', knowledgeBase, { title: 'T', content: 'text' })
    await cuecardJson('document', 'retry', body.id)
    const retried = { command: 'document retry', arguments: [body.id], outcome: 'done' }
    expect(await actionsOf(organization)).toMatchObject([retried])
  })

  test('shows that an interrupted command started', async () => {
    const { organizationId: organization } = await stand.tenant()
    const db = asOperator()
    await sql`insert into operator_actions (id, person, command, arguments, organization_id)
      values (${newId()}, 'x', 'key create', '{}', ${organization})`.execute(db)
    expect(await actionsOf(organization)).toMatchObject([{ outcome: null, ended_at: null }])
    await sql`update operator_actions set outcome = 'failed', ended_at = now() where outcome is null`.execute(db)
  })
})

describe('an operator’s login, past the command line,', () => {
  const begin = (id = newId()) =>
    sql`insert into operator_actions (id, person, command, arguments) values (${id}, 'x', 'by hand', '{}')`
  const end = (id: string) => sql`update operator_actions set outcome = 'done', ended_at = now() where id = ${id}`

  test('changes nothing unless it has an open action', async () => {
    const { organizationId: organization, agentId: agent } = await stand.tenant()
    await run(sql`insert into calls (organization_id, agent_id, id) values (${organization}, ${agent}, ${newId()})`)
    const db = asOperator()
    for (const change of [
      sql`insert into organizations (id, name) values (${newId()}, 'smuggled')`,
      sql`update api_keys set revoked_at = now() where organization_id = ${organization}`,
      sql`delete from organizations where id = ${organization}`,
      sql`delete from calls`,
    ])
      await expect(change.execute(db)).rejects.toThrow('without an open row in operator_actions')
    const id = newId()
    await begin(id).execute(db)
    await createOrganization(db, 'Open')
    await end(id).execute(db)
    await expect(createOrganization(db, 'Closed')).rejects.toThrow('without an open row in operator_actions')
  })

  test('can neither forge nor change nor delete a row of the record', async () => {
    const db = asOperator()
    const id = newId()
    await begin(id).execute(db)
    await end(id).execute(db)
    const read = async () => (await sql`select * from operator_actions where id = ${id}`.execute(stand.db)).rows
    const before = await read()
    for (const statement of [
      sql`insert into operator_actions (id, login, person, command, arguments) values (${newId()}, 'somebody', 'x', 'y', '{}')`,
      sql`update operator_actions set command = 'nothing' where id = ${id}`,
      sql`update operator_actions set started_at = now() where id = ${id}`,
      sql`delete from operator_actions where id = ${id}`,
      sql`truncate operator_actions`,
    ])
      await expect(statement.execute(db)).rejects.toThrow(/permission denied/)
    await sql`update operator_actions set outcome = 'failed', detail = 'rewritten' where id = ${id}`.execute(db)
    expect(await read()).toEqual(before)
  })

  test('does not end the action of another login', async () => {
    const id = newId()
    await run(sql`insert into operator_actions (id, login, person, command, arguments)
      values (${id}, 'somebody', 'x', 'y', '{}')`)
    await end(id).execute(asOperator())
    const { rows } = await sql`select outcome from operator_actions where id = ${id}`.execute(stand.db)
    expect(rows).toEqual([{ outcome: null }])
  })
})
