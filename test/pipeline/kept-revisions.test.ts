import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newDocument, type TestDocument } from '../support/documents/documents.ts'
import { newFile } from '../support/documents/files.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { poison, vectorOf } from '../support/provider/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { newWorker, workMessage } from '../support/stand/worker.ts'

const provider = useFakeProvider()
const stand = useStand()

/** A revision as the API shows it; undefined if it is not kept. */
async function find(tenant: Tenant, { path }: { path: string }, revision: number) {
  const { status, body } = await tenant.call('GET', `${path}/revisions/${revision}`)
  if (status === 404) expect(body.code).toBe('revision_not_found')
  return status === 200 ? body : undefined
}

/** The contents of the first revisions, up to `last`; undefined where one is not kept. */
async function contents(tenant: Tenant, document: { path: string }, last: number) {
  const found: (string | null | undefined)[] = []
  for (let revision = 1; revision <= last; revision++) found.push((await find(tenant, document, revision))?.content)
  return found
}

const stored = async ({ id }: { id: string }) =>
  (
    await sql<{
      revision: number
    }>`select revision from document_revisions where document_id = ${id} order by revision`.execute(stand.db)
  ).rows.map(({ revision }) => revision)

const work = (document: TestDocument) => newWorker(stand, provider)([document])
const edit = (tenant: Tenant, { path }: TestDocument, body: object) => tenant.call('PATCH', path, body)

async function served(content: string) {
  const made = await newDocument(stand, content)
  await work(made.document)
  return made
}

test('an edit keeps the text that search serves, with its title and key, and nothing before the edit', async () => {
  const { tenant, document } = await served('one')
  expect(await stored(document)).toEqual([])
  const first = await find(tenant, document, 1)
  expect(first).toMatchObject({ revision: 1, title: 'T', content: 'one', created_by: 'test', is_served: true })

  await edit(tenant, document, { title: 'Another', content: 'two' })
  expect(await find(tenant, document, 1)).toEqual(first)
  expect(await find(tenant, document, 2)).toBeUndefined()
  await work(document)
  expect(await find(tenant, document, 1)).toEqual({ ...first, is_served: false })
  expect(await find(tenant, document, 2)).toMatchObject({ title: 'Another', content: 'two', is_served: true })
})

test('a text that search never served is not kept', async () => {
  const { tenant, document } = await newDocument(stand, 'one')
  await edit(tenant, document, { content: 'two' })
  await work(document)
  await edit(tenant, document, { content: 'three' })
  await edit(tenant, document, { content: 'four' })
  await work(document)
  expect(await contents(tenant, document, 5)).toEqual([undefined, 'two', undefined, 'four', undefined])
})

test('retries of the same text keep nothing, and all their revisions are one', async () => {
  const { tenant, document } = await served('one')
  const before = await find(tenant, document, 1)
  for (let i = 0; i < 2; i++) {
    await edit(tenant, document, { status: 'pending' })
    await work(document)
  }
  expect(await stored(document)).toEqual([])
  expect(await find(tenant, document, 1)).toEqual({ ...before, revision: 3 })
  await edit(tenant, document, { status: 'pending' })
  await edit(tenant, document, { content: 'two' })
  expect(await stored(document)).toEqual([3])
  expect(await contents(tenant, document, 6)).toEqual(['one', 'one', 'one', undefined, undefined, undefined])
})

test('the copy of a text is dropped when an edit returns to it before another text is served', async () => {
  const { tenant, document } = await served('one')
  const before = await find(tenant, document, 1)
  await edit(tenant, document, { content: 'two' })
  await edit(tenant, document, { content: 'one' })
  expect(await stored(document)).toEqual([])
  expect(await find(tenant, document, 1)).toEqual(before)
  await work(document)
  expect(await find(tenant, document, 2)).toEqual({ ...before, revision: 3 })
})

test('a revision that ends in error leaves the previous one served and kept', async () => {
  const { tenant, document } = await served('one')
  await edit(tenant, document, { content: poison })
  await work(document)
  expect((await tenant.call('GET', document.path)).body.status).toBe('error')
  expect(await find(tenant, document, 1)).toMatchObject({ content: 'one', is_served: true })
  await edit(tenant, document, { content: 'two' })
  await work(document)
  expect(await contents(tenant, document, 3)).toEqual(['one', undefined, 'two'])
})

test('a takeover keeps the text, and the client’s chunks are kept without content', async () => {
  const { tenant, document } = await served('one')
  const chunks = [{ content: 'own', chunk_index: 0, embedding: [...vectorOf('own')] }]
  await tenant.call('POST', `${document.path}/chunks`, { chunks })
  expect(await find(tenant, document, 1)).toMatchObject({ content: 'one', is_served: true })
  await edit(tenant, document, { status: 'completed' })
  expect(await find(tenant, document, 2)).toMatchObject({ content: null, bytes: null, is_served: true })
  await edit(tenant, document, { status: 'pending' })
  await work(document)
  expect(await contents(tenant, document, 3)).toEqual(['one', null, 'one'])
})

test('deleted chunks are kept as text, and none is served', async () => {
  const { tenant, document } = await served('one')
  await tenant.call('DELETE', `${document.path}/chunks`)
  expect(await find(tenant, document, 1)).toMatchObject({ content: 'one', is_served: false })
  await tenant.call('DELETE', `${document.path}/chunks`)
  expect(await stored(document)).toEqual([1])
})

test('a file’s text is kept while the file is extracted again, and the copy is dropped if the text is the same', async () => {
  const { tenant, file, extractor } = await newFile(stand)
  await extractor.upload(file, 'one')
  await work(file)
  const first = await find(tenant, file, 1)
  expect(first).toMatchObject({ content: 'one', is_served: true })

  await edit(tenant, file, { status: 'pending' })
  expect(await find(tenant, file, 1)).toEqual(first)
  await extractor.deliver(workMessage(file))
  expect(await stored(file)).toEqual([])
  await work(file)
  expect(await find(tenant, file, 1)).toEqual({ ...first, revision: 2 })

  await edit(tenant, file, { content: 'two' })
  expect(await contents(tenant, file, 3)).toEqual(['one', 'one', undefined])
})

test('the newest 20 revisions of a document are kept', async () => {
  const { tenant, document } = await newDocument(stand, 'text 1')
  for (let i = 2; i <= 23; i++) {
    await work(document)
    await edit(tenant, document, { content: `text ${i}` })
  }
  expect(await stored(document)).toEqual(Array.from({ length: 20 }, (_, i) => i + 3))
})

test('the sweeper drops revisions that were replaced a year ago', async () => {
  const { tenant, document } = await served('one')
  await edit(tenant, document, { content: 'two' })
  await work(document)
  await edit(tenant, document, { content: 'three' })
  await sql`update document_revisions set replaced_at = now() - interval '1 year' where document_id = ${document.id}
    and revision = 1`.execute(stand.db)
  expect(await stand.sweep()).toMatchObject({ revisions_purged: 1 })
  expect(await stored(document)).toEqual([2])
})

test('an organization that turns revisions off keeps no more, and the sweeper drops earlier ones', async () => {
  const { tenant, document } = await served('one')
  await edit(tenant, document, { content: 'two' })
  await work(document)
  await sql`update organizations set keep_revisions = false where id = ${tenant.organizationId}`.execute(stand.db)
  await edit(tenant, document, { content: 'three' })
  await work(document)
  expect(await contents(tenant, document, 3)).toEqual(['one', undefined, 'three'])
  expect(await stand.sweep()).toMatchObject({ revisions_purged: 1 })
  expect(await contents(tenant, document, 3)).toEqual([undefined, undefined, 'three'])
})
