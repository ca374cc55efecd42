import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../shared/ids.ts'
import { fillAgent } from './support/documents/documents.ts'
import { createFile } from './support/documents/files.ts'
import { useFakeProvider } from './support/provider/fake-provider.ts'
import { useAdmin } from './support/stand/admin.ts'
import { newWorker, workMessage } from './support/stand/worker.ts'

const root = join(import.meta.dirname, '..')
const { stand, target, run, admin, json } = useAdmin()
const provider = useFakeProvider()

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

  test('in error are listed with the reason, the attempts and the age in seconds', async () => {
    const { tenant, ids } = await tenantWithDocuments('Hours', 'Prices')
    await fail(ids[1]!)
    const list = ['document', 'list', '--organization', tenant.organizationId]
    const failed = {
      id: ids[1],
      agent_id: tenant.agentId,
      title: 'Prices',
      status: 'error',
      attempts: 8,
      waiting: null,
      error_code: 'attempts_exhausted',
      error_message: 'It failed.',
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

  test('in error are all retried for an organization and complete; completed ones are left alone', async () => {
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

  test('that were files are retried by the Lambda that extracts their text', async () => {
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

  test('that are being processed are reported and not retried; others named with them are', async () => {
    const { ids } = await tenantWithDocuments('Hours', 'Prices')
    await fail(ids[0]!)
    await run(sql`
      update documents set status = 'processing', lease_token = ${newId()}, lease_expires_at = now() + interval '1 hour'
      where id = ${ids[1]}`)
    const asOperator = { cwd: root, env: { PATH: process.env.PATH, DATA_DIR: target.dataDir } }
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

  test('are not retried when one of those named does not exist', async () => {
    const { ids } = await tenantWithDocuments('Hours')
    await fail(ids[0]!)
    const stranger = newId()
    const refused = { code: 1, stdout: '', stderr: `error: no such document: ${stranger}\n` }
    expect(await admin(['document', 'retry', ids[0]!, stranger])).toEqual(refused)
    expect(await read(ids[0]!)).toMatchObject({ status: 'error', revision: 1 })
  })
})

describe('the trash of calls', () => {
  test('lists its calls, restores one permanently, and purges another', async () => {
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
    expect(before).toMatchObject({ target: `the local stand in ${target.dataDir}`, dead_letters: 0 })
    const late = (await tenant.call('POST', tenant.knowledgeBase, { title: 'Late', content: 'Late.' })).body.id
    await run(sql`
      update documents set status = 'processing', lease_token = ${newId()}, lease_expires_at = now() - interval '1 hour',
        pending_since = now() - interval '3 hours' where id = ${late}`)
    const MessageBody = workMessage({ organizationId: tenant.organizationId, id: late })
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

  test('works without a queue, and says which setting is missing', async () => {
    const { DATABASE_URL = '', DATABASE_ENDPOINT = '' } = process.env
    const { stdout, ...rest } = await admin(['health', '--json'], { DATABASE_URL, DATABASE_ENDPOINT })
    expect(rest).toEqual({ code: 0, stderr: 'warning: cannot count dead letters: DEAD_LETTER_QUEUE_URL is not set\n' })
    expect(JSON.parse(stdout)).toMatchObject({ target: '127.0.0.1', dead_letters: null })
  })
})
