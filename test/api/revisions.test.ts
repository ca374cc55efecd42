import { describe, expect, test } from 'vitest'
import { createKey } from '../../infra/admin/keys.ts'
import { findRevision } from '../../shared/documents/client/revisions.ts'
import type { AgentId, DocumentId, OrganizationId } from '../../shared/ids.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { newDocument, type TestDocument } from '../support/documents/documents.ts'
import { newFile } from '../support/documents/files.ts'
import { contentOf, useFakeProvider } from '../support/provider/fake-provider.ts'
import { poison, vectorOf } from '../support/provider/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { newWorker } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

const work = (document: TestDocument) => newWorker(stand, provider)([document])
const patch = (tenant: Tenant, { path }: TestDocument, body: object) => tenant.call('PATCH', path, body)
const restore = (tenant: Tenant, { path }: TestDocument, revision: number, headers = {}) =>
  tenant.call('POST', `${path}/revisions/${revision}/restore`, undefined, headers)
const get = async (tenant: Tenant, { path }: { path: string }) => (await tenant.call('GET', path)).body
const listed = async (tenant: Tenant, { path }: TestDocument, query = '') =>
  (await tenant.call('GET', `${path}/revisions${query}`)).body

/** A document that had each of these contents; search serves the last. */
async function edited(...contents: string[]) {
  const made = await newDocument(stand, contents[0]!)
  await work(made.document)
  for (const content of contents.slice(1)) {
    await patch(made.tenant, made.document, { content })
    await work(made.document)
  }
  return made
}

describe('the list of revisions', () => {
  test('has the texts that search served, newest first, with size, time and the key’s name', async () => {
    const { tenant, document } = await edited('one')
    const { organizationId } = tenant
    const permissions = ['kb:write' as const]
    const other = { organizationId: organizationId as OrganizationId, name: 'Front desk', permissions }
    const { key } = await createKey(stand.db, other)
    await tenant.call('PATCH', document.path, { title: 'New', content: 'zwölf' }, { 'x-api-key': key })
    await work(document)
    await patch(tenant, document, { content: 'not served yet' })
    const created_at = expect.stringMatching(/^20.+Z$/)
    const { data, has_more, next_cursor } = await listed(tenant, document)
    expect({ has_more, next_cursor }).toEqual({ has_more: false, next_cursor: null })
    expect(data).toEqual([
      { revision: 2, title: 'New', created_at, created_by: 'Front desk', bytes: 6, is_served: true },
      { revision: 1, title: 'T', created_at, created_by: 'test', bytes: 3, is_served: false },
    ])
    expect(data[1].created_at).toBe((await get(tenant, document)).created_at)
    expect(data[0].created_at > data[1].created_at).toBe(true)
    expect(await get(tenant, { path: `${document.path}/revisions/2` })).toEqual({ ...data[0], content: 'zwölf' })
  })

  test('can be paged while revisions are added', async () => {
    const { tenant, document } = await edited('1', '2', '3', '4')
    const first = await listed(tenant, document, '?limit=2')
    await patch(tenant, document, { content: '5' })
    await work(document)
    const second = await listed(tenant, document, `?limit=2&cursor=${first.next_cursor}`)
    const numbers = [...first.data, ...second.data].map(({ revision }: { revision: number }) => revision)
    expect(numbers).toEqual([4, 3, 2, 1])
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null])
  })

  test('is empty for a document that search never served', async () => {
    const { tenant, document } = await newDocument(stand, 'one')
    expect((await listed(tenant, document)).data).toEqual([])
  })

  test.each(['0', '-1', '1.5', '01', '2147483648', 'x'])('has no revision %s', async (revision) => {
    const { tenant, document } = await newDocument(stand)
    const answer = await tenant.call('GET', `${document.path}/revisions/${revision}`)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ parameter: 'revision' }] } })
  })
})

test('a revision has the place of each chunk that was served', async () => {
  const { tenant, document } = await edited('One is here.\n\nTwo is there as well as all of the others.', 'other')
  const { organizationId, agentId } = tenant as unknown as { organizationId: OrganizationId; agentId: AgentId }
  const scope = { organizationId, agentId, documentId: document.id as DocumentId }
  const db = stand.db.forOrganization(organizationId)
  expect(await findRevision(db, scope, 1)).toMatchObject({
    chunk_offsets: [0, 14, 14, 56],
    served_at: expect.any(Date),
  })
  expect(await findRevision(db, scope, 3)).toBeUndefined()
})

describe('a restored revision', () => {
  test('is a new revision with the old content, and embeds only chunks that are not stored', async () => {
    const kept = 'A paragraph that stays in each of the two revisions.'
    const { tenant, document } = await edited(`${kept}\n\nThe old price is ten.`, `${kept}\n\nThe new price is twelve.`)
    provider.calls.length = 0
    const { status, body, headers } = await restore(tenant, document, 1)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'pending', content: `${kept}\n\nThe old price is ten.` },
    })
    expect(headers.etag).toBe((await tenant.call('GET', document.path)).headers.etag)
    await work(document)
    expect(provider.calls.flatMap(({ texts }) => texts.map(contentOf))).toEqual(['The old price is ten.'])
    expect((await listed(tenant, document)).data).toMatchObject([{ revision: 3 }, { revision: 2 }, { revision: 1 }])
  })

  test('embeds nothing if all its chunks are stored', async () => {
    const [a, b, c] = ['first', 'second', 'third'].map((nth) => `The ${nth} of the paragraphs is this one.`)
    const { tenant, document } = await edited(`${a}\n\n${b}\n\n${c}`, `${b}\n\n${a}\n\n${c}`)
    provider.calls.length = 0
    await restore(tenant, document, 1)
    await work(document)
    expect(provider.calls).toEqual([])
    expect(await get(tenant, document)).toMatchObject({ status: 'completed', content: `${a}\n\n${b}\n\n${c}` })
  })

  test('changes nothing if the document has its content', async () => {
    const { tenant, document } = await edited('one', 'two')
    const before = await tenant.call('GET', document.path)
    expect(await restore(tenant, document, 2)).toMatchObject({ status: 200, headers: { etag: before.headers.etag } })
    expect(await get(tenant, document)).toEqual(before.body)
  })

  test('replaces a failed edit, under the current title', async () => {
    const { tenant, document } = await edited('one')
    await patch(tenant, document, { title: 'New', content: poison })
    await work(document)
    expect(await get(tenant, document)).toMatchObject({ status: 'error' })
    expect((await restore(tenant, document, 1)).body).toMatchObject({ status: 'pending', title: 'New', content: 'one' })
    await work(document)
    expect(await get(tenant, document)).toMatchObject({ status: 'completed' })
  })

  test('is processed again if the document has its content, but is in error', async () => {
    const { tenant, document } = await edited('one', 'two')
    await patch(tenant, document, { status: 'pending' })
    await stand.db
      .updateTable('documents')
      .set({ status: 'error', error_message: 'The provider refused it.' })
      .where('id', '=', document.id)
      .execute()
    expect((await restore(tenant, document, 2)).body).toMatchObject({ status: 'pending', content: 'two' })
    await work(document)
    expect(await get(tenant, document)).toMatchObject({ status: 'completed' })
  })

  test('brings back a text that a client’s chunks or their deletion replaced', async () => {
    const { tenant, document } = await edited('one')
    await tenant.call('DELETE', `${document.path}/chunks`)
    expect((await restore(tenant, document, 1)).body).toMatchObject({ status: 'pending', content: 'one' })
    await work(document)
    const chunks = [{ content: 'own', chunk_index: 0, embedding: [...vectorOf('own')] }]
    await tenant.call('POST', `${document.path}/chunks`, { chunks })
    await patch(tenant, document, { status: 'completed' })
    await restore(tenant, document, 1)
    await work(document)
    expect(await get(tenant, document)).toMatchObject({ status: 'completed', content: 'one', chunk_count: 1 })
    expect(await restore(tenant, document, 4)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
    expect(await strayRows(stand.db)).toEqual([])
  })

  test('turns a file into a text, unless the file has that text', async () => {
    const { tenant, file, extractor } = await newFile(stand)
    await extractor.upload(file, 'one')
    await work(file)
    expect((await restore(tenant, file, 1)).body).toMatchObject({ status: 'completed', source_type: 'txt' })
    await patch(tenant, file, { status: 'pending' })
    const restored = { status: 'pending', source_type: 'manual', source_url: null, content: 'one' }
    expect((await restore(tenant, file, 1)).body).toMatchObject(restored)
  })

  test('is refused with an old ETag or if it does not exist', async () => {
    const { tenant, document } = await edited('one', 'two')
    const { headers } = await tenant.call('GET', document.path)
    await patch(tenant, document, { title: 'New' })
    const before = await get(tenant, document)
    const stale = await restore(tenant, document, 1, { 'if-match': headers.etag! })
    expect(stale).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect(await restore(tenant, document, 3)).toMatchObject({ status: 404, body: { code: 'revision_not_found' } })
    expect(await get(tenant, document)).toEqual(before)
  })
})

test('an edit during processing leaves the served revision as it is', async () => {
  const { tenant, document } = await edited('one')
  await patch(tenant, document, { content: 'two' })
  provider.script([() => patch(tenant, document, { content: 'three' }).then(() => 'ok' as const)])
  await work(document)
  expect((await listed(tenant, document)).data).toMatchObject([{ revision: 1, is_served: true }])
  await work(document)
  expect((await listed(tenant, document)).data).toMatchObject([{ revision: 3 }, { revision: 1, is_served: false }])
})
