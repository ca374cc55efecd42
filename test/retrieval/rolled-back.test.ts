import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { strayRows } from '../support/database/stray-rows.ts'
import { createDocument, serveChunks, type TestDocument } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { newWorker } from '../support/stand/worker.ts'

const stand = useStand()
const provider = useFakeProvider()

/** Makes the database refuse a kind of change until the test ends. @returns ends it sooner */
async function refuse(change: string, table: string, when = 'true') {
  const drop = async () => void (await sql.raw(`drop trigger if exists refused on ${table}`).execute(stand.db))
  await stand.db.batch({
    raise: sql`create or replace function refuse() returns trigger language plpgsql
      as $$ begin if ${sql.raw(when)} then raise exception 'refused'; end if; return new; end $$`,
    trigger: sql.raw(`create trigger refused before ${change} on ${table} for each row execute function refuse()`),
  })
  onTestFinished(drop)
  return drop
}

const packOf = async ({ id }: TestDocument) =>
  (
    await sql`select p.*, a.served_version from packs p join agents a on a.id = p.agent_id where document_id = ${id}`.execute(
      stand.db,
    )
  ).rows

async function find({ call, knowledgeBase }: Tenant) {
  const { body } = await call('POST', `${knowledgeBase}/search`, { query: 'what is on sale', mode: 'keyword' })
  return body.data.map(({ content }: { content: string }) => content)
}

test('a completion that is rolled back after it has switched the revision leaves the pack and the answer as they were', async () => {
  const tenant = await stand.tenant()
  const document = await createDocument(tenant, 'Apples are on sale.')
  const work = newWorker(stand, provider)
  await work([document])
  const before = await packOf(document)
  expect(await find(tenant)).toEqual(['Apples are on sale.'])
  await tenant.call('PATCH', document.path, { content: 'Bells are on sale.' })
  // The last statement of the completion counts its tokens.
  const allow = await refuse('insert', 'embedded_tokens', 'exists (select from documents where active_revision = 2)')
  await work([document])
  expect((await tenant.call('GET', document.path)).body.status).toBe('pending')
  expect(await packOf(document)).toEqual(before)
  expect(await find(tenant)).toEqual(['Apples are on sale.'])
  await allow()
  await sql`update documents set next_attempt_at = null where id = ${document.id}`.execute(stand.db)
  await work([document])
  expect(await find(tenant)).toEqual(['Bells are on sale.'])
  expect(await strayRows(stand.db)).toEqual([])
})

test('a pack that can’t be written stops the change that it is of', async () => {
  const tenant = await stand.tenant()
  const document = await serveChunks(tenant, [{ content: 'Apples are on sale.', embedding: axis(1) }])
  const before = await packOf(document)
  const allow = await refuse('insert or update', 'packs')
  const chunks = [{ content: 'Bells are on sale.', chunk_index: 1, embedding: axis(1) }]
  for (const [method, path, body] of [
    ['POST', '/chunks', { chunks }],
    ['PATCH', '', { title: 'Shop' }],
    ['DELETE', ''],
  ] as const)
    expect((await tenant.call(method, `${document.path}${path}`, body)).status).toBe(500)
  expect(await packOf(document)).toEqual(before)
  expect(await find(tenant)).toEqual(['Apples are on sale.'])
  await allow()
  expect(await strayRows(stand.db)).toEqual([])
})
