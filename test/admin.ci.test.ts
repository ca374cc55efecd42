import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishAddress } from '../infra/data-directory/address.ts'
import { lockDirectory } from '../infra/data-directory/lock.ts'
import { addressOf } from '../infra/local/stand.ts'
import { newId } from '../shared/ids.ts'
import { fillAgent } from './support/documents/documents.ts'
import { createFile } from './support/documents/files.ts'
import { useFakeProvider } from './support/provider/fake-provider.ts'
import { useStand } from './support/stand/stand.ts'
import { newWorker } from './support/stand/worker.ts'
import { cuecard, type Finished } from './support/tools/command-line.ts'

const root = join(import.meta.dirname, '..')
const stand = useStand()
const provider = useFakeProvider()
const serverUrl = 'postgres://somebody@127.0.0.1/stand'
const closers: (() => Promise<unknown>)[] = []
let dataDir: string

beforeAll(async () => {
  dataDir = await temporaryDirectory()
  closers.push(await lockDirectory(dataDir))
  const database = { url: process.env.DATABASE_URL!, endpoint: process.env.DATABASE_ENDPOINT! }
  closers.push(await publishAddress(dataDir, addressOf(database, stand.emulator, serverUrl)))
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

const run = <Row>(statement: RawBuilder<Row>) => statement.execute(stand.db)

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-admin-'))
  closers.push(() => rm(directory, { recursive: true }))
  return directory
}

/** The command in this process, on the system that the environment selects. */
function admin(args: string[], env: Record<string, string> = { DATA_DIR: dataDir }, stdin = ''): Promise<Finished> {
  return cuecard(args, { env, stdin })
}

/** Runs a command with --json. @returns its output, once it has succeeded */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await admin([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const makeKey = (organization: string, permissions: string, ...more: string[]) =>
  json('key', 'create', '--organization', organization, '--name', 'k', '--permissions', permissions, ...more)

describe('organizations, agents and keys', () => {
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
    const set = await admin(['agent', 'retell-secret', agent, '--json'], { DATA_DIR: dataDir }, `${secret}\n`)
    expect(set).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(set.stdout)).toEqual({ id: agent, organization_id: organization, retell_signature: 'required' })
    expect(await ask()).toMatchObject({ status: 401, body: { code: 'invalid_signature' } })
    const shown = await admin(['agent', 'show', agent, '--json'])
    expect(JSON.parse(shown.stdout).retell_secret_since).toEqual(expect.any(String))

    const refused = await admin(['agent', 'retell-secret', agent], { DATA_DIR: dataDir }, 'too short')
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

describe('what cannot be done', () => {
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

describe('documents', () => {
  const fail = (id: string) =>
    run(sql`
      update documents set status = 'error', error_code = 'attempts_exhausted', error_message = 'It failed.', attempt = 5,
        tries = 8, retry_count = 3, pending_since = now() - interval '1 hour' where id = ${id}`)

  const read = async (id: string) => {
    const { rows } = await run(sql<{ status: string }>`
      select status, revision, attempt, retry_count, error_code, error_message from documents where id = ${id}`)
    return rows[0]
  }

  async function tenantWithDocuments(...titles: string[]) {
    const tenant = await stand.tenant()
    const ids: string[] = []
    for (const title of titles)
      ids.push((await tenant.call('POST', tenant.knowledgeBase, { title, content: `About ${title}.` })).body.id)
    return { tenant, ids }
  }

  test('those in error are listed with the reason, the attempts and the age in seconds', async () => {
    const { tenant, ids } = await tenantWithDocuments('Hours', 'Prices')
    await fail(ids[1]!)
    const list = ['document', 'list', '--organization', tenant.organizationId]
    const failed = {
      ...{ id: ids[1], agent_id: tenant.agentId, title: 'Prices', status: 'error', attempts: 8, waiting: null },
      ...{ error_code: 'attempts_exhausted', error_message: 'It failed.' },
    }
    const { data, has_more } = await json(...list, '--status', 'error')
    expect(data).toMatchObject([failed])
    expect(data[0].age_seconds).toBeGreaterThanOrEqual(3600)
    expect(has_more).toBe(false)
    await run(sql`update documents set title = ${'Long '.repeat(50)}, error_message = null where id = ${ids[0]}`)
    const table = (await admin(list)).stdout.trimEnd().split('\n')
    expect(table[0]).toMatch(/^id +title +status +attempts +age_seconds +chunk_count +error_message$/)
    expect(table[2]).toContain('…')
    expect(Math.max(...table.map(({ length }) => length))).toBeLessThan(180)
    expect(await json(...list, '--limit', '1')).toMatchObject({ data: [failed], has_more: true })
  })

  test('that wait are listed with the reason, the tries so far and the next time, and health names the fault', async () => {
    const { tenant, ids } = await tenantWithDocuments('Hours', 'Prices')
    const work = newWorker(stand, provider)
    const waiting = 'The embedding provider is busy (status 429: Rate limit reached)'
    const before = await json('health')
    expect(before).toMatchObject({ waiting_for_another_attempt: 0, provider_fault: null })
    provider.script(['retry_after'])
    await work([{ id: ids[0]!, organizationId: tenant.organizationId }])
    expect(await json('health')).toMatchObject({ waiting_for_another_attempt: 1, provider_fault: waiting })

    const { data } = await json('document', 'list', '--organization', tenant.organizationId)
    expect(data).toMatchObject([
      { id: ids[0], status: 'pending', waiting, attempts: 1, searchable_chunk_count: 0 },
      { id: ids[1], status: 'pending', waiting: null, attempts: 0, next_attempt_at: null },
    ])
    expect(Date.parse(data[0].next_attempt_at)).toBeGreaterThan(Date.now() + 30_000)

    await run(sql`update documents set next_attempt_at = now() where id = ${ids[0]}`)
    provider.script(['hang'])
    const hanging = newWorker(stand, provider)
    void hanging([{ id: ids[0]!, organizationId: tenant.organizationId }])
    await expect.poll(() => provider.calls.length).toBe(2)
    expect(await json('health')).toMatchObject({ waiting_for_another_attempt: 0, provider_fault: waiting })
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${ids[0]}`)
    expect(await json('health')).toMatchObject({ provider_fault: null })
  })

  test('all of an organization in error are retried, completed ones are left alone, and the retried complete', async () => {
    const { tenant, ids } = await tenantWithDocuments('Hours', 'Prices', 'Parking')
    await stand.deliver()
    await fail(ids[0]!)
    await fail(ids[1]!)
    const untouched = await read(ids[2]!)

    const retry = ['document', 'retry', '--organization', tenant.organizationId, '--status', 'error']
    const { data } = await json(...retry)
    const result = (id?: string) => ({ id, organization_id: tenant.organizationId, queued: true, refused: null })
    expect(data).toEqual(expect.arrayContaining([result(ids[0]), result(ids[1])]))
    expect(data).toHaveLength(2)
    const anew = { attempt: 0, retry_count: 0, error_code: null, error_message: null }
    expect(await read(ids[0]!)).toEqual({ status: 'pending', revision: 2, ...anew })
    expect(await read(ids[2]!)).toEqual(untouched)

    await stand.deliver()
    expect(await read(ids[0]!)).toMatchObject({ status: 'completed', revision: 2 })
    expect(await json(...retry)).toEqual({ data: [] })
  })

  test('one that was a file is retried by the Lambda that extracts its text', async () => {
    const tenant = await stand.tenant()
    const { id } = await createFile(stand, tenant)
    await fail(id)
    expect(await json('document', 'retry', id)).toMatchObject({ data: [{ id, queued: true, refused: null }] })
    await stand.deliver()
    expect(await read(id)).toMatchObject({ status: 'pending', revision: 2 })
    await run(sql`update documents set upload_until = now() where id = ${id}`)
    await stand.deliver('extraction')
    expect(await read(id)).toMatchObject({ status: 'error', error_code: 'file_not_uploaded' })
  })

  test('a document in processing is reported and not retried; others named with it are', async () => {
    const { ids } = await tenantWithDocuments('Hours', 'Prices')
    await fail(ids[0]!)
    await run(sql`
      update documents set status = 'processing', lease_token = ${newId()}, lease_expires_at = now() + interval '1 hour'
      where id = ${ids[1]}`)
    const asOperator = { cwd: root, env: { PATH: process.env.PATH, DATA_DIR: dataDir } }
    const retry = promisify(execFile)('npx', ['cuecard', 'document', 'retry', ...ids, '--json'], asOperator)
    const { code, stdout, stderr } = await retry.catch((error) => error)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: .+ was not retried\. The service is processing this document\..*\n$/m)
    const { data } = JSON.parse(stdout)
    expect(data).toContainEqual(expect.objectContaining({ id: ids[0], queued: true, refused: null }))
    const refused = expect.stringContaining('is processing')
    expect(data).toContainEqual(expect.objectContaining({ id: ids[1], queued: false, refused }))
    expect(await read(ids[1]!)).toMatchObject({ status: 'processing', revision: 1 })
  })

  test('none is retried when one of those named does not exist', async () => {
    const { ids } = await tenantWithDocuments('Hours')
    await fail(ids[0]!)
    const stranger = newId()
    const refused = { code: 1, stdout: '', stderr: `error: no such document: ${stranger}\n` }
    expect(await admin(['document', 'retry', ids[0]!, stranger])).toEqual(refused)
    expect(await read(ids[0]!)).toMatchObject({ status: 'error', revision: 1 })
  })
})

describe('the trash of calls', () => {
  test('lists its calls, restores one for good, and purges another', async () => {
    const tenant = await stand.tenant()
    const [restored, purged, kept] = [newId(), newId(), newId()]
    await run(sql`insert into calls (organization_id, agent_id, id, done_at, deleted_at)
      select organization_id, id, call, now(), at from agents, (values (${restored}::uuid, now()),
        (${purged}, now() - interval '1 day'), (${kept}, null)) calls (call, at) where id = ${tenant.agentId}`)
    const list = ['call', 'list', '--organization', tenant.organizationId]
    expect(await json(...list, '--trash')).toMatchObject({ data: [{ id: restored }, { id: purged }], has_more: false })
    expect((await json('call', 'list', '--trash')).data).toContainEqual(expect.objectContaining({ id: purged }))

    expect(await json('call', 'restore', restored)).toMatchObject({ id: restored, deleted_at: null })
    expect(await json('call', 'purge', purged)).toMatchObject({ id: purged })
    const refused = { code: 1, stderr: `error: call ${restored} is not in the trash\n` }
    expect(await admin(['call', 'purge', restored])).toMatchObject(refused)
    expect(await json(...list, '--trash')).toMatchObject({ data: [] })
    const { data } = await json(...list)
    expect(data.map((call: { id: string }) => call.id).sort()).toEqual([restored, kept].sort())
  })
})

describe('health', () => {
  test('shows counts, overdue work, agents at their limit and dead letters; and redrive moves these back', async () => {
    const tenant = await stand.tenant()
    await fillAgent(stand, tenant, 9_999)
    const before = await json('health')
    expect(before).toMatchObject({ target: `the local stand in ${dataDir}`, dead_letters: 0 })
    const late = (await tenant.call('POST', tenant.knowledgeBase, { title: 'Late', content: 'Late.' })).body.id
    await run(sql`
      update documents set status = 'processing', lease_token = ${newId()}, lease_expires_at = now() - interval '1 hour',
        pending_since = now() - interval '3 hours' where id = ${late}`)
    const MessageBody = JSON.stringify({ v: 1, organization_id: tenant.organizationId, document_id: late })
    const { deadLetterUrl, queueUrl } = stand.queue
    const MessageGroupId = tenant.organizationId
    await stand.sqs.send(new SendMessageCommand({ QueueUrl: deadLetterUrl, MessageBody, MessageGroupId }))
    const { extraction } = stand.emulator.queues
    await stand.sqs.send(new SendMessageCommand({ QueueUrl: extraction.deadLetterUrl, MessageBody }))

    const after = await json('health')
    expect(after.documents).toEqual({ ...before.documents, processing: before.documents.processing + 1 })
    expect(after.oldest_pending_seconds).toBeGreaterThanOrEqual(3 * 3600)
    expect(after.expired_leases).toBe(before.expired_leases + 1)
    expect(after.agents_at_document_limit).toMatchObject([{ id: tenant.agentId, document_count: 10_000 }])
    expect(after.dead_letters).toBe(2)

    await stand.deliver()
    await stand.deliver('extraction')
    expect(await json('queue', 'redrive')).toEqual({ moved: 2 })
    expect(await json('health')).toMatchObject({ dead_letters: 0 })
    for (const [QueueUrl, Attributes] of [
      [queueUrl, { MessageGroupId }],
      [extraction.queueUrl, {}],
    ] as const) {
      const receive = new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'] })
      expect(await stand.sqs.send(receive)).toMatchObject({ Messages: [{ Body: MessageBody, Attributes }] })
    }
  })

  test('works without a queue, and says what is missing', async () => {
    const { DATABASE_URL = '', DATABASE_ENDPOINT = '' } = process.env
    const { stdout, ...rest } = await admin(['health', '--json'], { DATABASE_URL, DATABASE_ENDPOINT })
    expect(rest).toEqual({ code: 0, stderr: 'warning: cannot count dead letters: DEAD_LETTER_QUEUE_URL is not set\n' })
    expect(JSON.parse(stdout)).toMatchObject({ target: '127.0.0.1', dead_letters: null })
  })
})

describe('which system it works on', () => {
  test('where no stand is running, it says so', async () => {
    const empty = await temporaryDirectory()
    const DATABASE_URL = 'postgres://somebody@127.0.0.1/nothing'
    expect(await admin(['organization', 'list'], { DATA_DIR: empty, DATABASE_URL })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: no local stand is running in ${empty}: run npm start, or set DATABASE_URL to the URL of a Neon database\n`,
    })
  })

  test('a DATABASE_URL of another server is an error, not ignored', async () => {
    const env = { DATA_DIR: dataDir, DATABASE_URL: 'postgres://me@prod.example.com/x' }
    const refused = await admin(['organization', 'create', '--name', 'Astray'], env)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`DATABASE_URL is neither Neon's nor that of the stand in ${dataDir}`)
    expect((await admin(['organization', 'list', '--json'])).stdout).not.toContain('Astray')
    expect(await admin(['organization', 'list'], { ...env, DATABASE_URL: serverUrl })).toMatchObject({ code: 0 })
  })

  test('only its owner can read a stand’s address, and that of a killed stand is ignored', async () => {
    const directory = await temporaryDirectory()
    const { pid } = spawnSync('true')
    expect((await stat(join(dataDir, 'stand.json'))).mode & 0o777).toBe(0o600)
    const address = JSON.parse(await readFile(join(dataDir, 'stand.json'), 'utf8'))
    await writeFile(join(directory, 'stand.json'), JSON.stringify({ ...address, pid }))
    await writeFile(join(directory, 'lock'), `${pid} 1\n`)
    const { code, stderr } = await admin(['organization', 'list'], { DATA_DIR: directory })
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('no local stand is running') })
  })
})
