import { spawnSync } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../shared/ids.ts'
import { serverUrl, useAdmin } from './support/stand/admin.ts'

const { stand, target, run, temporaryDirectory, admin, json } = useAdmin()

const makeKey = (organization: string, permissions: string, ...more: string[]) =>
  json('key', 'create', '--organization', organization, '--name', 'k', '--permissions', permissions, ...more)

describe('with the commands for organizations, agents and keys,', () => {
  test('the API accepts a key created here for its permissions', async () => {
    const { id: organization } = await json('organization', 'create', '--name', 'Lighthouse Inn')
    const { id: agent } = await json('agent', 'create', '--organization', organization, '--name', 'Front desk')
    const { key } = await makeKey(organization, 'kb:read, organization:read')
    const headers = { 'x-api-key': key }
    expect(await stand.http('GET', '/v1/organization', undefined, headers)).toMatchObject({
      status: 200,
      body: { id: organization, name: 'Lighthouse Inn' },
    })
    const knowledgeBase = `/v1/agents/${agent}/knowledge-base`
    expect(await stand.http('GET', knowledgeBase, undefined, headers)).toMatchObject({ status: 200 })
    expect(await stand.http('POST', knowledgeBase, { title: 'T' }, headers)).toMatchObject({
      status: 403,
      body: { required_permission: 'kb:write' },
    })
  })

  test('a revoked key is rejected, and revoking it again keeps the first time', async () => {
    const { organizationId: organization } = await stand.tenant()
    const { id, key } = await makeKey(organization, 'organization:read')
    const revoked = await json('key', 'revoke', id)
    expect(revoked).toMatchObject({ id, organization_id: organization })
    expect(await json('key', 'revoke', id.toUpperCase())).toEqual(revoked)
    const made = await makeKey(organization, 'organization:read')
    await run(sql`update api_keys set created_by = ${id} where id = ${made.id}`)
    expect(await json('key', 'revoke', id)).toMatchObject({ created: [{ id: made.id, revoked_at: null }] })
    const created = [{ id: made.id, revoked_at: expect.any(String) }]
    expect(await json('key', 'revoke', id, '--with-created')).toMatchObject({ ...revoked, created })
    expect(await stand.http('GET', '/v1/organization', undefined, { 'x-api-key': key })).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    })
  })

  test('the list of keys says which are active, expired or revoked, and has neither key nor hash', async () => {
    const { id: organization } = await json('organization', 'create', '--name', 'Lighthouse Inn')
    const active = await makeKey(organization, 'kb:read,kb:write,kb:read', '--expires', '30d')
    const expired = await makeKey(organization, 'kb:read', '--expires', '2099-01-01T00:00:00+01:00')
    const revoked = await makeKey(organization, 'kb:read')
    expect(active.permissions).toEqual(['kb:read', 'kb:write'])
    expect(Date.parse(active.expires_at) - Date.now()).toBeCloseTo(30 * 86_400_000, -5)
    expect(expired.expires_at).toBe('2098-12-31T23:00:00.000Z')
    await run(sql`update api_keys set expires_at = now() where id = ${expired.id}`)
    await json('key', 'revoke', revoked.id)

    const { stdout } = await admin(['key', 'list', '--organization', organization, '--json'])
    expect(JSON.parse(stdout).data).toMatchObject([
      { id: active.id, state: 'active' },
      { id: expired.id, state: 'expired' },
      { id: revoked.id, state: 'revoked' },
    ])
    expect(stdout).not.toMatch(/cue_|hash/)
  })

  test('an agent is created with the time zone and the holidays of its business, if they are known', async () => {
    const { id: organization } = await json('organization', 'create', '--name', 'Lighthouse Inn')
    const create = ['agent', 'create', '--organization', organization, '--name', 'Desk']
    const unknown = await json(...create)
    expect(unknown).toMatchObject({ time_zone: null, holidays: null })
    const of = { time_zone: 'America/Toronto', holidays: 'CA-ON' }
    const made = await json(...create, '--time-zone', 'america/toronto', '--holidays', 'CA-ON')
    expect(made).toMatchObject(of)
    expect(await json('agent', 'show', made.id)).toMatchObject(of)
    const { data } = await json('agent', 'list', '--organization', organization)
    expect(data).toMatchObject([{ id: unknown.id, time_zone: null, holidays: null }, of])
    for (const wrong of [
      ['--time-zone', '+02:00'],
      ['--holidays', 'Canada'],
    ])
      expect((await admin([...create, ...wrong])).stderr).toMatch(/must be the/)
  })

  test('an agent says whether its tool is on, and why', async () => {
    const { organizationId: organization, agentId: agent, knowledgeBase, call } = await stand.tenant()
    const create = (content?: string) => call('POST', knowledgeBase, { title: 'T', ...(content && { content }) })
    const show = () => json('agent', 'show', agent)
    const off = { id: agent, organization_id: organization, knowledge_base_enabled: false, retell_secret_since: null }
    expect(await show()).toMatchObject({ ...off, reason: 'no documents' })
    const { body: first } = await create('One.')
    await create()
    await run(sql`update documents set status = 'error', error_message = 'x' where id = ${first.id}`)
    const reason = 'no ready documents: 1 pending, 0 processing, 1 in error'
    const documents = { ready: 0, pending: 1, processing: 0, completed: 0, error: 1 }
    expect(await show()).toMatchObject({ ...off, reason, documents })
    await create('Two.')
    await stand.deliver()
    expect(await show()).toMatchObject({ knowledge_base_enabled: true, reason: '1 ready document' })
  })

  test('a secret for Retell’s signature is read from standard input, used by the API, and printed nowhere', async () => {
    const { organizationId: organization, agentId: agent, knowledgeBase, call } = await stand.tenant()
    const secret = 'key_9d2f4c1b7a6e4f0c8b3a'
    const ask = () => call('POST', `${knowledgeBase}/retell`, { query: 'Where?' })
    const set = await admin(['agent', 'retell-secret', agent, '--json'], { DATA_DIR: target.dataDir }, `${secret}\n`)
    expect(set).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(set.stdout)).toEqual({ id: agent, organization_id: organization, retell_signature: 'required' })
    expect(await ask()).toMatchObject({ status: 401, body: { code: 'invalid_signature' } })
    const shown = await admin(['agent', 'show', agent, '--json'])
    expect(JSON.parse(shown.stdout).retell_secret_since).toEqual(expect.any(String))

    const refused = await admin(['agent', 'retell-secret', agent], { DATA_DIR: target.dataDir }, 'too short')
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/between 16 and 200/) })
    const removed = { id: agent, organization_id: organization, retell_signature: 'not required' }
    expect(await json('agent', 'retell-secret', agent, '--remove')).toEqual(removed)
    expect(await json('agent', 'show', agent)).toMatchObject({ retell_secret_since: null })
    for (const { stdout, stderr } of [set, shown, refused]) expect(stdout + stderr).not.toMatch(/key_9d|too short/)
  })

  test('organizations and agents are listed, for people in a table whose cells cannot move the cursor', async () => {
    const { organizationId: organization, agentId: agent } = await stand.tenant()
    const { data } = await json('organization', 'list')
    expect(data).toContainEqual(expect.objectContaining({ id: organization, name: 'Test' }))
    expect(await json('organization', 'show', organization)).toMatchObject({ agent_count: 1, document_count: 0 })
    await run(sql`update agents set name = ${'Front\u001b[2J\ndesk'} where id = ${agent}`)
    const { stdout } = await admin(['agent', 'list', '--organization', organization])
    const row = `${agent}  Front \\[2J desk  0 `
    expect(stdout).toMatch(new RegExp(`^id +name +document_count .*\\n${row}.*\\n$`))
  })
})

describe('the command', () => {
  const nobody = newId()
  const key = ['key', 'create', '--organization', nobody, '--name', 'k', '--permissions']
  test.each<[string[], RegExp]>([
    [['organization', 'create', '--name', ' '], /must not be empty/],
    [['organization', 'create'], /'--name <name>' not specified/],
    [['organization', 'create', '--name', 'N', '--frob'], /unknown option '--frob'/],
    [['organization', 'list', 'x'], /too many arguments/],
    [['organisation', 'list'], /unknown command 'organisation'/],
    [['organization', 'show', '7'], /must be a UUID/],
    [['agent', 'create', '--organization', nobody, '--name', 'A'], /no such organization/],
    [['agent', 'list', '--organization', nobody], /no such organization/],
    [[...key, 'kb:read'], /no such organization/],
    [[...key, 'kb:read,kb:delete'], /must be a comma-separated list of kb:read, kb:write/],
    [[...key, 'kb:read', '--expires', '2020-01-01T00:00:00Z'], /must be in the future/],
    [[...key, 'kb:read', '--expires', '2099-02-30T00:00:00Z'], /must be a time/],
    [['agent', 'show', nobody], /no such agent/],
    [['agent', 'retell-secret', nobody, '--remove'], /no such agent/],
    [['key', 'revoke', nobody], /no such key/],
    [['document', 'list', '--organization', nobody, '--status', 'lost'], /Allowed choic/],
    [['document', 'retry', nobody], /no such document/],
    [['document', 'retry', '--organization', nobody], /--status error/],
    [['call', 'restore', nobody], /no such call/],
    [['call', 'purge', nobody], /no such call/],
  ])('%j is rejected in one line on stderr and changes nothing', async (args, reason) => {
    const before = await countRows()
    const { code, stdout, stderr } = await admin([...args, '--json'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: .+\n$/)
    expect(stderr).toMatch(reason)
    expect(await countRows()).toEqual(before)
  })

  async function countRows() {
    const { rows } = await run(sql`
      select (select count(*) from organizations) as organizations, (select count(*) from agents) as agents,
        (select count(*) from api_keys) as keys`)
    return rows
  }
})

describe('the command line', () => {
  test('says so where no stand is running', async () => {
    const empty = await temporaryDirectory()
    const DATABASE_URL = 'postgres://somebody@127.0.0.1/nothing'
    expect(await admin(['organization', 'list'], { DATA_DIR: empty, DATABASE_URL })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: no local stand is running in ${empty}: run npm start, or set DATABASE_URL to the URL of a Neon database\n`,
    })
  })

  test('rejects a DATABASE_URL of another server, and does not ignore it', async () => {
    const env = { DATA_DIR: target.dataDir, DATABASE_URL: 'postgres://me@prod.example.com/x' }
    const refused = await admin(['organization', 'create', '--name', 'Astray'], env)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`DATABASE_URL is neither Neon's nor that of the stand in ${target.dataDir}`)
    expect((await admin(['organization', 'list', '--json'])).stdout).not.toContain('Astray')
    expect(await admin(['organization', 'list'], { ...env, DATABASE_URL: serverUrl })).toMatchObject({ code: 0 })
  })

  test('ignores the address of a killed stand, which only its owner can read', async () => {
    const directory = await temporaryDirectory()
    const { pid } = spawnSync('true')
    expect((await stat(join(target.dataDir, 'stand.json'))).mode & 0o777).toBe(0o600)
    const address = JSON.parse(await readFile(join(target.dataDir, 'stand.json'), 'utf8'))
    await writeFile(join(directory, 'stand.json'), JSON.stringify({ ...address, pid }))
    await writeFile(join(directory, 'lock'), `${pid} 1\n`)
    const { code, stderr } = await admin(['organization', 'list'], { DATA_DIR: directory })
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('no local stand is running') })
  })
})
