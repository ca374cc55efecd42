import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { createFileDocument } from '../../shared/documents/client/file-document.ts'
import { routedQueue } from '../../shared/work/sqs-queue.ts'
import { createFile, newExtractor, newFile, type TestFile } from '../support/documents/files.ts'
import { axis } from '../support/provider/axis.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue, workMessage } from '../support/stand/worker.ts'

const stand = useStand()

const text = 'A day with the bike costs 20 euros.'

interface Subject {
  tenant: Tenant
  file: TestFile
  extractor: ReturnType<typeof newExtractor>
}

const created = (): Promise<Subject> => newFile(stand)

async function uploaded(content: string): Promise<Subject> {
  const subject = await created()
  await subject.extractor.upload(subject.file, content)
  await stand.deliver()
  return subject
}
const completed = () => uploaded(text)
const failed = () => uploaded('…')

const statuses = [
  ['pending', created],
  ['completed', completed],
  ['error', failed],
] as const

/** Runs `act` while the text is being extracted. */
async function whileExtracting(act: (subject: Subject) => Promise<unknown>): Promise<Subject> {
  const subject = await created()
  const extractText = () => act(subject).then(() => ({ text, sourceType: 'txt' as const }))
  await newExtractor(stand, { extractText }).upload(subject.file, text)
  return subject
}

const get = ({ tenant, file }: Subject) => tenant.call('GET', file.path)
const patch = ({ tenant, file }: Subject, body: object, headers?: Record<string, string>) =>
  tenant.call('PATCH', file.path, body, headers)
const found = async ({ tenant }: Subject, query = 'what does a day with the bike cost'): Promise<string[]> =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body.data.map(
    (hit: { content: string }) => hit.content,
  )
const obsolete = async ({ file }: Subject): Promise<boolean> => {
  const { rows } = await sql`select from obsolete_files where source_url like ${`%${file.id}%`}`.execute(stand.db)
  return rows.length > 0
}
/** Delivers our message to an extraction Lambda. */
const extract = ({ file, extractor }: Subject) => extractor.deliver(workMessage(file)).then(() => stand.deliver())

async function refuses(subject: Subject, body: object, code: string) {
  const before = await get(subject)
  expect(await patch(subject, body)).toMatchObject({ status: 409, body: { code } })
  const after = await get(subject)
  expect(after.body).toEqual(before.body)
  expect(after.headers.etag).toBe(before.headers.etag)
}

describe('the document of a file', () => {
  test('is pending, without content, and not found by search until its file has arrived', async () => {
    const subject = await created()
    expect((await get(subject)).body).toEqual({
      id: subject.file.id,
      agent_id: subject.tenant.agentId,
      title: 'Prices',
      content: null,
      source_type: 'txt',
      source_url: `s3://files/${subject.file.key}`,
      status: 'pending',
      chunk_count: 0,
      searchable_chunk_count: 0,
      external_id: null,
      source_id: null,
      metadata: {},
      valid_from: null,
      valid_until: null,
      warnings: [],
      error_message: null,
      waiting: null,
      deleted_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(await found(subject)).toEqual([])
  })

  test('is completed once its text is extracted and embedded, and still has no content', async () => {
    const subject = await completed()
    expect((await get(subject)).body).toMatchObject({
      status: 'completed',
      content: null,
      source_type: 'txt',
      source_url: `s3://files/${subject.file.key}`,
      chunk_count: 1,
      searchable_chunk_count: 1,
      error_message: null,
    })
    expect(await found(subject)).toEqual([text])
    const { body } = await subject.tenant.call('GET', `${subject.file.path}/chunks`)
    expect(body.data).toMatchObject([{ content: text, metadata: { start: 0, end: text.length } }])
  })

  test('takes its type from the content, not from the name, and gets a new ETag', async () => {
    const subject = await created()
    const { headers } = await get(subject)
    const extractText = () => Promise.resolve({ text, sourceType: 'pdf' as const })
    await newExtractor(stand, { extractText }).upload(subject.file, text)
    const after = await get(subject)
    expect(after.body).toMatchObject({ status: 'pending', source_type: 'pdf' })
    expect(after.headers.etag).not.toBe(headers.etag)
  })

  test('is listed with its name percent-encoded, and can get a new title', async () => {
    const { tenant, extractor } = await created()
    const file = await createFile(stand, tenant, { fileName: 'C:\\Büro\\料金 + „mehr“ 100% é.TXT' })
    expect(file.key.split('/').slice(3)).toEqual(['料金 + „mehr“ 100% é.TXT'])
    await extractor.upload(file, text)
    await stand.deliver()
    await tenant.call('PATCH', file.path, { title: 'Preise' })
    const { body } = await tenant.call('GET', `${tenant.knowledgeBase}?status=completed`)
    const name = '%E6%96%99%E9%87%91%20%2B%20%E2%80%9Emehr%E2%80%9C%20100%25%20%C3%A9.TXT'
    const url = new RegExp(`^s3://files/${tenant.organizationId}/${file.id}/[0-9a-f-]{36}/${name}$`)
    const listed = { id: file.id, title: 'Preise', content: null, source_type: 'txt' }
    expect(body.data).toMatchObject([{ ...listed, source_url: expect.stringMatching(url) }])
  })

  test('is read by the agent’s MCP tools', async () => {
    const subject = await completed()
    const { tenant, file } = subject
    const call = async (name: string, args: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const headers = { accept: 'application/json, text/event-stream' }
      return JSON.stringify((await tenant.call('POST', `/v1/agents/${tenant.agentId}/mcp`, body, headers)).body)
    }
    expect(await call('search', { query: 'a day with the bike' })).toContain(text)
    expect(await call('fetch', { id: file.id })).toContain(text)
  })
})

describe('PATCH status: pending', () => {
  test.each(statuses)('extracts the text of a %s document again', async (_, make) => {
    const subject = await make()
    const before = await found(subject)
    const answer = await patch(subject, { status: 'pending' })
    expect(answer).toMatchObject({ status: 200, body: { status: 'pending', content: null, error_message: null } })
    expect(await found(subject)).toEqual(before)
    const better = 'A day with the bike costs 25 euros.'
    const extractText = () => Promise.resolve({ text: better, sourceType: 'txt' as const })
    await newExtractor(stand, { extractText }).upload(subject.file, text)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect(await found(subject)).toEqual([better])
  })

  test('sends a message to the queue for files, or for texts if the document has content', async () => {
    const { tenant, file } = await completed()
    const [embedding, extraction] = [keptQueue(), keptQueue()]
    const queue = routedQueue({ embedding: embedding.queue, extraction: extraction.queue })
    const app = documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue })
    const call = callerOf(app, tenant.apiKey)
    expect((await call('PATCH', file.path, { status: 'pending' })).status).toBe(200)
    expect(extraction.sent).toMatchObject([{ id: file.id }])
    expect(embedding.sent).toEqual([])
    expect((await call('PATCH', file.path, { content: text })).status).toBe(200)
    expect(extraction.sent).toHaveLength(1)
    expect(embedding.sent).toMatchObject([{ id: file.id }])
  })

  test('is 409 while its text is being extracted', async () => {
    const subject = await whileExtracting((during) => refuses(during, { status: 'pending' }, 'processing_in_progress'))
    await stand.deliver()
    expect((await get(subject)).body.status).toBe('completed')
  })

  test('returns a document that a client has taken over to the service, which extracts its text again', async () => {
    const subject = await completed()
    const chunks = [{ content: 'Mine.', chunk_index: 0, embedding: axis(0) }]
    await subject.tenant.call('POST', `${subject.file.path}/chunks`, { chunks })
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 1, source_type: 'txt' })
    expect(await found(subject)).toEqual([text])
    expect((await patch(subject, { status: 'completed' })).status).toBe(200)
    expect(await found(subject, 'mine')).toEqual(['Mine.'])
    expect((await patch(subject, { status: 'pending' })).status).toBe(200)
    await extract(subject)
    expect(await found(subject)).toEqual([text])
    expect(await obsolete(subject)).toBe(false)
  })
})

describe('PATCH status: completed', () => {
  test.each([
    ['pending', created, 'processing_in_progress'],
    ['error', failed, 'no_chunks'],
  ] as const)('of a %s document is 409', async (_, make, code) => {
    await refuses(await make(), { status: 'completed' }, code)
  })
})

describe('PATCH content', () => {
  const content = 'A day with the bike costs 30 euros.'

  test.each(statuses)('turns a %s document into a text, and deletes its file', async (_, make) => {
    const subject = await make()
    const answer = await patch(subject, { content })
    expect(answer.body).toMatchObject({ status: 'pending', content, source_type: 'manual', source_url: null })
    expect(await obsolete(subject)).toBe(true)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', content, source_url: null })
    expect(await found(subject)).toEqual([content])
  })

  test('turns it into a text even if that is the extracted text', async () => {
    const subject = await completed()
    const answer = await patch(subject, { content: text })
    expect(answer.body).toMatchObject({ status: 'pending', content: text, source_type: 'manual', source_url: null })
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect((await patch(subject, { content: text })).body).toMatchObject({ status: 'completed' })
  })
})

describe('DELETE', () => {
  test.each(statuses)('of a %s document leaves its file to the sweeper', async (_, make) => {
    const subject = await make()
    expect((await subject.tenant.call('DELETE', subject.file.path)).status).toBe(204)
    expect((await get(subject)).status).toBe(404)
    expect(await found(subject)).toEqual([])
    expect(await obsolete(subject)).toBe(true)
  })

  test.each(['agents', 'organizations'])('of its %s leaves its file to the sweeper', async (table) => {
    const subject = await completed()
    const id = table === 'agents' ? subject.tenant.agentId : subject.tenant.organizationId
    await sql`delete from ${sql.table(table)} where id = ${id}`.execute(stand.db)
    expect(await obsolete(subject)).toBe(true)
  })

  test('of its chunks hands it to the client, and a retry extracts its text again', async () => {
    const subject = await completed()
    expect((await subject.tenant.call('DELETE', `${subject.file.path}/chunks`)).status).toBe(204)
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 0, source_type: 'txt' })
    expect(await found(subject)).toEqual([])
    await patch(subject, { status: 'pending' })
    await extract(subject)
    expect(await found(subject)).toEqual([text])
  })
})

describe('the creation', () => {
  const create = (tenant: Tenant, input: object = {}) => {
    const scope = tenant as unknown as AgentScope
    const file = { title: 'T', fileName: 'a.pdf', fileBytes: 1, bucket: 'files', ...input }
    return createFileDocument(stand.db, scope, file, {})
  }

  test.each([
    [{ fileName: 'song.mp3' }, /must end in one of pdf, jpg,/],
    [{ fileName: 'pdf' }, /must end in one of/],
    [{ fileBytes: 0 }, /empty/],
    [{ fileBytes: 50 * 1024 * 1024 + 1 }, /at most 50 MB/],
  ])('is refused for %o', async (input, message) => {
    const tenant = await stand.tenant()
    await expect(create(tenant, input)).rejects.toThrow(message)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toEqual([])
  })

  const types = 'pdf pdf, DOCX docx, csv csv, xlsx csv, txt txt, md txt, html txt, pptx txt'
  test.each(types.split(', ').map((row) => row.split(' ')))(
    'gives a name that ends in %s the type %s',
    async (extension, source_type) => {
      const { document } = await create(await stand.tenant(), { fileName: `a.${extension}` })
      expect(document).toMatchObject({ source_type, status: 'pending', content: null })
    },
  )

  test('cuts a name that is too long for a key, and keeps its extension', async () => {
    const tenant = await stand.tenant()
    const { key } = await create(tenant, { fileName: `${'🚲'.repeat(300)}.pdf` })
    expect(key).toMatch(/🚲\.pdf$/u)
    expect(Buffer.byteLength(key)).toBeLessThan(1024)
  })
})
