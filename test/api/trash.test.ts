import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { purgeTrash } from '../../functions/sweeper/purge.ts'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { createDocument, fillAgent } from '../support/documents/documents.ts'
import { createFile } from '../support/documents/files.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'

const stand = useStand()

const text = 'The parrot is called Rosalinde and lives behind the counter.'
const modes = ['hybrid', 'semantic', 'keyword'] as const

/** A tenant with a document that search serves and one that stays. */
async function withParrot() {
  const tenant = await stand.tenant()
  const { call, knowledgeBase } = tenant
  const parrot = await call('POST', knowledgeBase, { title: 'Parrot', content: text, external_id: 'parrot' })
  const other = await call('POST', knowledgeBase, { title: 'Menu', content: 'Soup and bread.' })
  await stand.deliver()
  const id = parrot.body.id as string
  const path = `${knowledgeBase}/${id}`
  const found = async () =>
    await Promise.all(
      modes.map(async (mode) => {
        const { body } = await call('POST', `${knowledgeBase}/search`, { query: 'What is the parrot called?', mode })
        return body.data.some((hit: { document_id: string }) => hit.document_id === id)
      }),
    )
  return { ...tenant, id, path, other: other.body.id as string, found, etag: parrot.headers.etag! }
}

const toTrash = ({ call }: Tenant, path: string) => call('DELETE', `${path}?trash=true`)
const restore = ({ call }: Tenant, path: string, query = '') => call('POST', `${path}/restore${query}`)
const trashed = async ({ call, knowledgeBase }: Tenant) =>
  (await call('GET', `${knowledgeBase}?trashed=true`)).body.data
const listed = async ({ call, knowledgeBase }: Tenant) =>
  (await call('GET', knowledgeBase)).body.data.map(({ id }: { id: string }) => id)
const countsOf = async ({ call, agentId }: Tenant) => (await call('GET', `/v1/agents/${agentId}`)).body
const ageTrash = ({ organizationId }: Tenant, days: number) =>
  sql`update documents set deleted_at = deleted_at - make_interval(days => ${days})
    where organization_id = ${organizationId}`.execute(stand.db)

describe('a document in the trash', () => {
  let tenant: Awaited<ReturnType<typeof withParrot>>
  beforeAll(async () => {
    tenant = await withParrot()
    expect((await toTrash(tenant, tenant.path)).status).toBe(204)
  })

  test.each([
    ['GET', ''],
    ['PATCH', '', { title: 'New' }],
    ['DELETE', '?trash=true'],
    ['GET', '/chunks'],
    ['POST', '/chunks', { chunks: [{ content: 'c', chunk_index: 0 }] }],
    ['DELETE', '/chunks'],
    ['GET', '/revisions'],
    ['GET', '/revisions/1'],
    ['POST', '/revisions/1/restore'],
    ['POST', '/uploaded'],
  ])('is not found by %s %s', async (method, path, body?: object) => {
    expect(await tenant.call(method, tenant.path + path, body)).toMatchObject({
      status: 404,
      body: { code: 'document_not_found' },
    })
  })

  test('is in no search, list or count and under no external id; the last one switches the agent’s tool off', async () => {
    expect(await tenant.found()).toEqual([false, false, false])
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/by-external-id/parrot`)).status).toBe(404)
    expect(await listed(tenant)).toEqual([tenant.other])
    expect(await countsOf(tenant)).toMatchObject({ knowledge_base_enabled: true, documents: { completed: 1 } })
    const menu = `${tenant.knowledgeBase}/${tenant.other}`
    await toTrash(tenant, menu)
    expect(await countsOf(tenant)).toMatchObject({ knowledge_base_enabled: false, documents: { completed: 0 } })
    await restore(tenant, menu)
    expect(await countsOf(tenant)).toMatchObject({ knowledge_base_enabled: true, documents: { completed: 1 } })
  })

  test('is listed as it was, with the time of its deletion', async () => {
    const of = { id: tenant.id, title: 'Parrot', content: text, external_id: 'parrot', status: 'completed' }
    expect(await trashed(tenant)).toMatchObject([{ ...of, deleted_at: expect.stringMatching(/^\d{4}-.*Z$/) }])
    const filtered = async (filter: string) =>
      (await tenant.call('GET', `${tenant.knowledgeBase}?trashed=true&${filter}`)).body.data.length
    expect(await filtered('external_id_prefix=par')).toBe(1)
    expect(await filtered('external_id_prefix=menu')).toBe(0)
    expect(await filtered('status=error')).toBe(0)
  })

  test('is not restored through another agent', async () => {
    const { id } = await createAgent(stand.db, tenant.organizationId as OrganizationId, 'Next')
    expect((await restore(tenant, tenant.path.replace(tenant.agentId, id))).body.code).toBe('document_not_found')
    expect(await trashed(tenant)).toHaveLength(1)
  })

  test('is served as before once it is restored, and restoring it again changes nothing', async () => {
    const restored = await restore(tenant, tenant.path)
    expect(restored).toMatchObject({
      status: 200,
      body: { content: text, external_id: 'parrot', status: 'completed', deleted_at: null, searchable_chunk_count: 1 },
    })
    expect(restored.headers.etag).toBe((await tenant.call('GET', tenant.path)).headers.etag)
    expect(await tenant.found()).toEqual([true, true, true])
    expect(await trashed(tenant)).toEqual([])
    expect((await tenant.call('GET', `${tenant.path}/revisions`)).body.data).toMatchObject([{ is_served: true }])
    expect((await restore(tenant, tenant.path)).body).toEqual(restored.body)
  })
})

test('DELETE by external id frees the id, and its document is not restored while another has the id', async () => {
  const tenant = await withParrot()
  const { call, knowledgeBase, path } = tenant
  const named = `${knowledgeBase}/by-external-id/parrot`
  expect((await toTrash(tenant, named)).status).toBe(204)
  const second = await call('PUT', named, { title: 'Second', content: 'Another parrot.' })
  expect(second.status).toBe(201)
  const refused = await restore(tenant, path)
  expect(refused).toMatchObject({ status: 409, body: { code: 'external_id_conflict', external_ids: ['parrot'] } })
  await call('DELETE', named)
  expect((await restore(tenant, path)).status).toBe(200)
})

test('DELETE with an old ETag moves nothing to the trash, and DELETE in the trash is for good', async () => {
  const tenant = await withParrot()
  const { call, path, etag } = tenant
  await call('PATCH', path, { title: 'Edited' })
  expect((await call('DELETE', `${path}?trash=true`, undefined, { 'if-match': etag })).status).toBe(412)
  await toTrash(tenant, path)
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await call('DELETE', path)).status).toBe(404)
  expect((await restore(tenant, path)).body.code).toBe('document_not_found')
  expect(await trashed(tenant)).toEqual([])
})

test('a repeated POST under an Idempotency-Key does not create again a document in the trash', async () => {
  const tenant = await stand.tenant()
  const create = () =>
    tenant.call('POST', tenant.knowledgeBase, { title: 'Once', content: 'Text.' }, { 'idempotency-key': 'once' })
  await toTrash(tenant, (await create()).headers.location!)
  expect((await create()).body.code).toBe('document_not_found')
})

test('an unfinished document is processed once it is restored, and no worker touches it in the trash', async () => {
  const tenant = await stand.tenant()
  const document = await createDocument(tenant, text)
  await sql`update documents set status = 'processing', lease_token = gen_random_uuid(), lease_expires_at = now() - interval '1 hour'
    where id = ${document.id}`.execute(stand.db)
  await toTrash(tenant, document.path)
  expect(await trashed(tenant)).toMatchObject([{ status: 'processing' }])
  await stand.deliver()
  await stand.sweep()
  await stand.deliver()
  expect(await trashed(tenant)).toMatchObject([{ status: 'processing', searchable_chunk_count: 0 }])
  expect((await restore(tenant, document.path)).body.status).toBe('pending')
  await stand.deliver()
  expect((await tenant.call('GET', document.path)).body.status).toBe('completed')
})

test('a document in error is restored in error, and one that waits for chunks still waits', async () => {
  const tenant = await stand.tenant()
  const failed = await createDocument(tenant, text)
  await sql`update documents set status = 'error', error_message = 'It broke.' where id = ${failed.id}`.execute(
    stand.db,
  )
  const own = await createDocument(tenant)
  await tenant.call('POST', `${own.path}/chunks`, { chunks: [{ content: 'c', chunk_index: 0 }] })
  for (const { path } of [failed, own]) await toTrash(tenant, path)
  expect((await restore(tenant, failed.path)).body).toMatchObject({ status: 'error', error_message: 'It broke.' })
  expect((await restore(tenant, own.path)).body).toMatchObject({ status: 'pending', chunk_count: 1 })
})

test('moving to the trash and restoring send no webhook', async () => {
  const tenant = await withParrot()
  const events = ['document.completed', 'document.failed', 'document.waiting']
  const { headers } = await tenant.call('POST', '/v1/webhooks', { url: 'https://shop.example/', events })
  const unfinished = await createDocument(tenant, text)
  for (const path of [tenant.path, unfinished.path]) {
    await toTrash(tenant, path)
    await restore(tenant, path)
  }
  expect((await tenant.call('GET', `${headers.location}/deliveries`)).body.data).toEqual([])
})

test('a document in the trash counts against no limit, and is not restored beyond the limit', {
  timeout: 120_000,
}, async () => {
  const tenant = await withParrot()
  await fillAgent(stand, tenant, 9_998)
  expect((await tenant.call('POST', tenant.knowledgeBase, { title: 'One more' })).status).toBe(422)
  await toTrash(tenant, tenant.path)
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'One more' })
  expect(await restore(tenant, tenant.path)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  expect(await trashed(tenant)).toHaveLength(1)
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${body.id}`)
  expect((await restore(tenant, tenant.path)).status).toBe(200)
})

test('a document that a blocking golden question needs moves to the trash only if the question is ignored', async () => {
  const tenant = await withParrot()
  const question = { question: 'What is the parrot called?', expects: { words: 'Rosalinde' }, on_failure: 'block' }
  const asked = await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, question)
  await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions/run`)
  expect(await toTrash(tenant, tenant.path)).toMatchObject({ status: 409, body: { code: 'golden_questions_fail' } })
  const ignoring = await tenant.call('DELETE', `${tenant.path}?trash=true&ignore_golden_questions=true`)
  expect(ignoring.status).toBe(204)
  const of = { question: 'Who?', expects: { document_id: tenant.id } }
  expect((await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, of)).status).toBeGreaterThan(399)
  await restore(tenant, tenant.path)
  const { body } = await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions/run`)
  expect(body.data).toMatchObject([{ golden_question_id: asked.body.id, passed: true }])
})

describe('a document whose return would break a golden question', () => {
  /** An agent whose golden question expects no answer while the parrot is in the trash. */
  async function withoutParrot(on_failure: 'block' | 'warn', prepare?: (tenant: Tenant & { path: string }) => unknown) {
    const tenant = await withParrot()
    await prepare?.(tenant)
    await toTrash(tenant, tenant.path)
    const question = { question: 'What is the parrot called?', expects: { nothing: true }, on_failure }
    const { body, headers } = await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, question)
    expect(body.last_result).toMatchObject({ passed: true })
    const lastResult = async () => (await tenant.call('GET', headers.location!)).body.last_result
    const warning = { code: 'golden_question_failed', golden_question_id: body.id, question: question.question }
    return { ...tenant, lastResult, warning }
  }

  test('that blocks is restored only if the question is ignored; then it has a warning, and the result is stored and sent', async () => {
    const tenant = await withoutParrot('block')
    const webhook = { url: 'https://shop.example/', events: ['golden_question.failed'] }
    const { headers } = await tenant.call('POST', '/v1/webhooks', webhook)
    const sent = async () => (await tenant.call('GET', `${headers.location}/deliveries`)).body.data
    const refused = await restore(tenant, tenant.path)
    expect(refused).toMatchObject({ status: 409, body: { code: 'golden_questions_fail' } })
    expect(refused.body.golden_questions).toMatchObject([{ lost: null, instead: { document_title: 'Parrot', text } }])
    expect(await tenant.found()).toEqual([false, false, false])
    expect(await trashed(tenant)).toHaveLength(1)
    expect([await tenant.lastResult(), await sent()]).toMatchObject([{ passed: true }, []])
    const restored = await restore(tenant, tenant.path, '?ignore_golden_questions=true')
    expect(restored).toMatchObject({ status: 200, body: { external_id: 'parrot', warnings: [tenant.warning] } })
    expect(await tenant.found()).toEqual([true, true, true])
    expect(await tenant.lastResult()).toMatchObject({ passed: false })
    expect(await sent()).toMatchObject([{ type: 'golden_question.failed' }])
  })

  test('that warns is restored with a warning, and the result is stored', async () => {
    const tenant = await withoutParrot('warn')
    expect((await restore(tenant, tenant.path)).body.warnings).toEqual([tenant.warning])
    expect(await tenant.lastResult()).toMatchObject({ passed: false })
  })

  test('is checked by the text that search served before, not by one that was yet to be processed', async () => {
    const edit = (content: string) => (tenant: Tenant & { path: string }) =>
      tenant.call('PATCH', tenant.path, { content })
    const tenant = await withoutParrot('block', edit('We have no bird.'))
    expect((await restore(tenant, tenant.path)).body.code).toBe('golden_questions_fail')
  })

  test('of which search served nothing is restored at once, and checked once it is processed', async () => {
    const tenant = await withoutParrot('block')
    const unfinished = await createDocument(tenant, text)
    await toTrash(tenant, unfinished.path)
    expect((await restore(tenant, unfinished.path)).body.status).toBe('pending')
    await stand.deliver()
    const { body } = await tenant.call('GET', unfinished.path)
    expect(body).toMatchObject({ status: 'error', error_message: expect.stringContaining('parrot') })
  })
})

test('a file that resembles a document stays held when that document moves to the trash', async () => {
  const tenant = await withParrot()
  const held = await createFile(stand, tenant)
  await sql`update documents set resembles = ${tenant.id} where id = ${held.id}`.execute(stand.db)
  await toTrash(tenant, tenant.path)
  const { rows } = await sql<{ resembles: string }>`select resembles from documents where id = ${held.id}`.execute(
    stand.db,
  )
  expect(rows).toEqual([{ resembles: held.id }])
})

describe('the sweeper', () => {
  test('deletes a document in the trash after 30 days, with chunks, vectors, revisions and file', async () => {
    const tenant = await withParrot()
    await tenant.call('PATCH', tenant.path, { content: 'Rosalinde has moved.' })
    await stand.deliver()
    await sql`update documents set source_url = 's3://files/parrot.pdf' where id = ${tenant.id}`.execute(stand.db)
    await toTrash(tenant, tenant.path)
    await ageTrash(tenant, 29)
    await stand.sweep()
    expect(await trashed(tenant)).toHaveLength(1)
    await ageTrash(tenant, 1)
    expect(await stand.sweep()).toMatchObject({ trash_purged: 1 })
    const { rows } = await sql<{ left: number; files: number }>`select
        (select count(*)::int from documents where id = ${tenant.id})
          + (select count(*)::int from chunks where document_id = ${tenant.id})
          + (select count(*)::int from vectors where document_id = ${tenant.id})
          + (select count(*)::int from document_revisions where document_id = ${tenant.id}) as left,
        (select count(*)::int from obsolete_files where source_url = 's3://files/parrot.pdf') as files`.execute(
      stand.db,
    )
    expect(rows).toEqual([{ left: 0, files: 1 }])
    expect((await restore(tenant, tenant.path)).status).toBe(404)
  })

  test('keeps the newest documents of an agent’s trash beyond its limit', async () => {
    const tenant = await stand.tenant()
    const documents = []
    for (let i = 0; i < 4; i++) documents.push(await createDocument(tenant))
    for (const { path } of documents) await toTrash(tenant, path)
    expect(await purgeTrash(databaseAs('cuecard_sweeper'), 3)).toBe(1)
    const newest = documents.slice(1).toReversed()
    expect(await trashed(tenant)).toMatchObject(newest.map(({ id }) => ({ id })))
  })
})
