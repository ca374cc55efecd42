import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { maxBytes } from '../../functions/mcp/passages.ts'
import { createAgent } from '../../infra/admin/agents.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { createDocument, serveChunks } from '../support/documents/documents.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'
import { eras, mcpClient } from './mcp-client.ts'

const stand = useStand()

/** @returns the id of a document, which search serves */
async function serve(tenant: Tenant, content: string): Promise<string> {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Handbook', content })
  await stand.deliver()
  return body.id
}

/** @returns the id of a client's document, which search serves */
async function serveOwn(tenant: Tenant, contents: Record<number, string>): Promise<string> {
  const embedding = axis(0)
  const chunks = Object.entries(contents).map(([at, content]) => ({ content, chunk_index: Number(at), embedding }))
  return (await serveChunks(tenant, chunks)).id
}

/** Paragraphs of some 140 bytes each. */
function prose(paragraphs: number): string {
  return Array.from(
    { length: paragraphs },
    (_, i) =>
      `Paragraph ${i} is about room ${i * 7}. Nobody has slept in it since ${1900 + i}. The key hangs behind door ${i}, it is brass.`,
  ).join('\n\n')
}

const short = prose(60)
let tenant: Tenant
let documentId: string
beforeAll(async () => {
  tenant = await stand.tenant()
  documentId = await serve(tenant, short)
})

describe.each(eras)('fetch, in the protocol of %s', (era) => {
  test('reads a short document as it is, by its id and by that of any of its passages', async () => {
    const { tool, list } = mcpClient(tenant, era)
    const [, { outputSchema }] = await list()
    const { structuredContent: found } = await tool('search', { query: 'who has slept in room 210' })
    expect(found.results[0].id).toMatch(new RegExp(`^${documentId}#\\d+$`))
    for (const id of [documentId, documentId.toUpperCase(), found.results[0].id]) {
      const { structuredContent, content: blocks } = await tool('fetch', { id })
      expect(structuredContent).toEqual({
        id,
        title: 'Handbook',
        text: short,
        url: `https://app.example.com${tenant.knowledgeBase}/${documentId}`,
        metadata: { document_id: documentId, is_whole_document: true, previous_id: null, next_id: null },
      })
      expect(blocks).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
      expect(new Ajv2020({ allowUnionTypes: true }).validate(outputSchema, structuredContent)).toBe(true)
    }
  })
})

test('fetch treats ids of another organization like missing ids, with a tool error', async () => {
  const [mine, theirs] = [await stand.tenant(), await stand.tenant()]
  const own = await serve(mine, 'Mine.')
  const foreign = await serve(theirs, 'Theirs.')
  const sibling = await createAgent(stand.db, mine.organizationId as OrganizationId, 'Sibling')
  const { body } = await mine.call('POST', `/v1/agents/${sibling.id}/knowledge-base`, { title: 'T', content: 'Other.' })
  await stand.deliver()
  const { tool } = mcpClient(mine)
  const unknown = await tool('fetch', { id: newId() })
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Call `search`') }] })
  for (const id of [foreign, `${foreign}#0`, body.id, `${own}#1`, `${own}#0x`, 'x', '', `${own}#99999999`])
    expect(await tool('fetch', { id }), id).toEqual(unknown)
  expect(await tool('fetch', { id: own })).toMatchObject({ structuredContent: { text: 'Mine.' } })
})

test('fetch reads the surroundings of a passage in a long document, and can continue to both ends', async () => {
  const tenant = await stand.tenant()
  const content = prose(500)
  const documentId = await serve(tenant, content)
  const { tool } = mcpClient(tenant)
  const { structuredContent: found } = await tool('search', { query: 'paragraph 250 room 1750' })
  const [{ id, text: passage }] = found.results
  const { structuredContent: around } = await tool('fetch', { id })
  expect(around.text).toContain(passage)
  expect(content).toContain(around.text)
  expect(Buffer.byteLength(around.text)).toBeLessThanOrEqual(maxBytes)
  expect(Buffer.byteLength(around.text)).toBeGreaterThan(maxBytes / 2)
  expect(around.metadata.is_whole_document).toBe(false)

  let next = documentId
  let read = ''
  do {
    const { structuredContent: part } = await tool('fetch', { id: next })
    expect(part.metadata.previous_id === null).toBe(content.startsWith(part.text))
    read = content.slice(0, content.indexOf(part.text) + part.text.length)
    next = part.metadata.next_id
  } while (next !== null)
  expect(read).toBe(content)
  expect((await tool('fetch', { id: around.metadata.previous_id })).structuredContent.text).not.toBe(around.text)
})

test('fetch reads a client’s passages in their order and apart from each other, whatever their indexes', async () => {
  const tenant = await stand.tenant()
  const id = await serveOwn(tenant, { 1000000: 'last', 3: 'second', 0: 'first' })
  const { tool } = mcpClient(tenant)
  for (const each of [id, `${id}#3`, `${id}#1000000`])
    expect((await tool('fetch', { id: each })).structuredContent.text).toBe('first\n\nsecond\n\nlast')
  expect(await tool('fetch', { id: `${id}#1` })).toMatchObject({ isError: true })
})

test('fetch reads a passage larger than its limit whole, without its neighbours', async () => {
  const tenant = await stand.tenant()
  const large = '€'.repeat(30_000)
  const id = await serveOwn(tenant, { 0: 'before', 1: large, 2: 'after' })
  expect((await mcpClient(tenant).tool('fetch', { id: `${id}#1` })).structuredContent).toMatchObject({
    text: large,
    metadata: { is_whole_document: false, previous_id: `${id}#0`, next_id: `${id}#2` },
  })
})

test('fetch reads only text that search serves, neither a draft nor an edit in processing', async () => {
  const tenant = await stand.tenant()
  const draft = await createDocument(tenant)
  await tenant.call('POST', `${draft.path}/chunks`, {
    chunks: [{ content: 'draft', chunk_index: 0, embedding: axis(0) }],
  })
  const edited = await serve(tenant, 'Old text.')
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${edited}`, { content: 'New text.' })
  const { tool } = mcpClient(tenant)
  expect(await tool('fetch', { id: draft.id })).toMatchObject({ isError: true })
  expect((await tool('fetch', { id: edited })).structuredContent.text).toBe('Old text.')
  await stand.deliver()
  expect((await tool('fetch', { id: edited })).structuredContent.text).toBe('New text.')
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${edited}`)
  await serve(tenant, 'Another.')
  expect(await tool('fetch', { id: `${edited}#0` })).toMatchObject({ isError: true })
})

test('a table row at the start of a fetch has its column names', async () => {
  const tenant = await stand.tenant()
  const rows = Array.from({ length: 1200 }, (_, i) => `| bolt ${i} | ${i}.50 | shelf ${i % 40} |`)
  await serve(tenant, ['| part | price | place |', '| --- | --- | --- |', ...rows].join('\n'))
  const { tool } = mcpClient(tenant)
  const { structuredContent: found } = await tool('search', { query: 'bolt 600' })
  const { text } = (await tool('fetch', { id: found.results[0].id })).structuredContent
  expect(text).toMatch(/^\| part \| price \| place \|/)
  expect(text.match(/part \| price/g)).toHaveLength(1)
})

test('the largest document is read from anywhere within the deadline', async () => {
  const tenant = await stand.tenant()
  const vector = axis(1)
  const [chunks, middle, last] = isThorough ? [10_000, 5_000, 9_999] : [2_000, 1_000, 1_999]
  const id = await storeServed(stand.db, tenant, Array(chunks).fill({ vector }))
  // Old statistics would make the planner expect a small document.
  await sql`analyze`.execute(stand.db)
  const { tool } = mcpClient(tenant)
  for (const [each, previous, next] of [
    [id, null, 25],
    [`${id}#${middle}`, middle - 13, middle + 13],
    [`${id}#${last}`, last - 25, null],
  ] as const)
    expect((await tool('fetch', { id: each })).structuredContent.metadata).toMatchObject({
      previous_id: previous === null ? null : `${id}#${previous}`,
      next_id: next === null ? null : `${id}#${next}`,
    })
})
