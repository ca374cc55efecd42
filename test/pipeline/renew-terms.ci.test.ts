import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { renewTerms } from '../../functions/sweeper/renew-terms.ts'
import { chunkTerms } from '../../shared/terms/indexed-terms.ts'
import { termsVersion } from '../../shared/terms/packed-terms.ts'
import { useFaultyConnection } from '../support/database/faulty-connection.ts'
import { createDocument, serveChunks, type TestDocument } from '../support/documents/documents.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'
import { useSweeps } from './sweeps.ts'

const { stand, swept, rowsOf } = useSweeps()
const connection = useFaultyConnection()

const text = 'The lighthouse keeper sells postcards.'

/** Gives a document's chunks other terms, as if an older release had cut them. */
async function makeOld({ organizationId, id }: Pick<TestDocument, 'id' | 'organizationId'>): Promise<void> {
  const old = chunkTerms('An older release')
  old[0] = termsVersion - 1
  await sql`update chunks set terms = ${old} where document_id = ${id}`.execute(stand.db)
  await sql`select renew_pack(${organizationId}, ${id})`.execute(stand.db)
}

/** A tenant's document whose terms are old, so that search does not find it by its words. */
async function withOld(content = text) {
  const tenant = await stand.tenant()
  const document = await createDocument(tenant, content)
  await stand.deliver()
  await makeOld(document)
  expect(await find(tenant, 'postcards')).toEqual([])
  return { tenant, document }
}

async function find({ call, knowledgeBase }: Tenant, query: string): Promise<string[]> {
  const { body } = await call('POST', `${knowledgeBase}/search`, { query, mode: 'keyword' })
  return body.data.map(({ content }: { content: string }) => content)
}

const renewed = async () => (await swept()).report.terms_renewed

const versions = async ({ id }: Pick<TestDocument, 'id'>) =>
  await rowsOf(sql<{ chunks: number; pack: number | null; served: number }>`
    select min(get_byte(c.terms, 0)) as chunks, min(p.terms_version) as pack, min(a.served_version)::int as served
    from packs p join agents a on a.id = p.agent_id left join chunks c using (document_id) where p.document_id = ${id}`)

test('a sweep cuts old terms again, so that the next search finds their text by words; the next sweep does nothing', async () => {
  const { tenant, document } = await withOld()
  const [before] = await versions(document)
  expect(before).toMatchObject({ chunks: termsVersion - 1, pack: termsVersion - 1 })
  expect(await renewed()).toBe(1)
  expect(await find(tenant, 'postcards')).toEqual([text])
  const after = await versions(document)
  expect(after).toEqual([{ chunks: termsVersion, pack: termsVersion, served: before!.served + 1 }])
  expect(await renewed()).toBe(0)
  expect(await versions(document)).toEqual(after)
})

test('terms are cut as they were for a new text: with its headings, but not with those that a client names', async () => {
  const { tenant, document } = await withOld(`# Souvenirs\n\n${text}`)
  const terms = async ({ id }: Pick<TestDocument, 'id'>) =>
    await rowsOf(
      sql`select chunk_index, encode(terms, 'hex') as terms from chunks where document_id = ${id} order by 1`,
    )
  const headings = ['Souvenirs', ['Souvenirs'], [1], 1, { souvenirs: 1 }, null]
  const chunks = headings.map((each) => ({ content: text, embedding: axis(1), metadata: { headings: each } }))
  const own = await serveChunks(tenant, chunks)
  const asNew = await terms(own)
  await makeOld(own)
  expect(await renewed()).toBe(2)
  expect(await find(tenant, 'souvenirs')).toEqual([expect.stringContaining(text)])
  expect(await terms(own)).toEqual(asNew)
  // The client's chunks are served until the service has processed its text.
  await tenant.call('PATCH', own.path, { content: 'The text of the service.' })
  await makeOld(own)
  expect(await renewed()).toBe(1)
  const renewedText = await terms(document)
  await tenant.call('PATCH', document.path, { content: 'Another text.' })
  await stand.deliver()
  await tenant.call('PATCH', document.path, { content: `# Souvenirs\n\n${text}` })
  await stand.deliver()
  expect(await terms(document)).toEqual(renewedText)
})

test('a document of many chunks is renewed whole, and none is begun when the time is over', async () => {
  const tenant = await stand.tenant()
  const id = await storeServed(stand.db, tenant, Array(450).fill({ vector: axis(1) }))
  const document = { id, organizationId: tenant.organizationId }
  await makeOld(document)
  expect(await renewTerms(databaseAs('cuecard_sweeper'), () => false)).toBe(0)
  expect(await versions(document)).toMatchObject([{ chunks: termsVersion - 1 }])
  expect(await renewed()).toBe(1)
  expect(await versions(document)).toMatchObject([{ chunks: termsVersion, pack: termsVersion }])
})

describe('a document that search no longer serves', () => {
  test('is renewed once it is back from the trash', async () => {
    const { tenant, document } = await withOld()
    await tenant.call('DELETE', `${document.path}?trash=true`)
    expect(await renewed()).toBe(0)
    await tenant.call('POST', `${document.path}/restore`)
    expect(await renewed()).toBe(1)
    expect(await find(tenant, 'postcards')).toEqual([text])
  })

  const moments: [string, RegExp][] = [
    ['before its terms are cut', /update chunks c set terms/],
    ['before its pack is written', /renew_pack/],
  ]
  test.each(moments)('since a moment %s stays away, and others are renewed', async (_, statement) => {
    for (const trash of ['', '?trash=true']) {
      const { tenant, document } = await withOld()
      const other = await withOld()
      connection.before(statement, () => tenant.call('DELETE', `${document.path}${trash}`))
      // Either may come first.
      connection.before(statement, () => other.tenant.call('PATCH', other.document.path, { title: 'Shop' }))
      expect(await renewed()).toBe(2)
      expect(await find(tenant, 'postcards')).toEqual([])
      expect(
        await rowsOf(sql`select chunks from packs where document_id = ${document.id} and unserved_at <= now()`),
      ).toEqual([{ chunks: null }])
      expect(await find(other.tenant, 'postcards')).toEqual([text])
      expect(await renewed()).toBe(0)
      if (trash) {
        await tenant.call('POST', `${document.path}/restore`)
        await swept()
        expect(await find(tenant, 'postcards')).toEqual([text])
      }
    }
  })
})

test('a text that is replaced meanwhile keeps its own terms', async () => {
  const { tenant, document } = await withOld()
  connection.before(/renew_pack/, async () => {
    await tenant.call('PATCH', document.path, { content: 'The shop sells stamps.' })
    await stand.deliver()
  })
  expect(await renewed()).toBe(1)
  expect([await find(tenant, 'postcards'), await find(tenant, 'stamps')]).toEqual([[], ['The shop sells stamps.']])
  expect(await renewed()).toBe(0)
})
