import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { AgentScope } from '../../shared/database/scope.ts'
import { createFileDocument } from '../../shared/documents/client/file-document.ts'
import { routedQueue } from '../../shared/queue.ts'
import { fillAgent } from '../support/documents/documents.ts'
import { createFile, newExtractor, newFile, type TestFile, workMessage } from '../support/documents/files.ts'
import { axis } from '../support/provider/axis.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { type Answer, type Tenant, useStand } from '../support/stand/stand.ts'

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

describe('a document that was a file', () => {
  test('is pending and without content until its file has arrived, and search finds nothing of it', async () => {
    const subject = await created()
    expect((await get(subject)).body).toEqual({
      ...{ id: subject.file.id, agent_id: subject.tenant.agentId, title: 'Prices', content: null, source_type: 'txt' },
      ...{ source_url: `s3://files/${subject.file.key}`, status: 'pending', chunk_count: 0, searchable_chunk_count: 0 },
      ...{ external_id: null, source_id: null, metadata: {}, valid_from: null, valid_until: null, warnings: [] },
      ...{
        error_message: null,
        waiting: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted_at: null,
      },
    })
    expect(await found(subject)).toEqual([])
  })

  test('is completed once its text is extracted and embedded, and still has no content', async () => {
    const subject = await completed()
    expect((await get(subject)).body).toMatchObject({
      ...{ status: 'completed', content: null, source_type: 'txt', source_url: `s3://files/${subject.file.key}` },
      ...{ chunk_count: 1, searchable_chunk_count: 1, error_message: null },
    })
    expect(await found(subject)).toEqual([text])
    const { body } = await subject.tenant.call('GET', `${subject.file.path}/chunks`)
    expect(body.data).toMatchObject([{ content: text, metadata: { start: 0, end: text.length } }])
  })

  test('has the type of its content, not of its name, and a new ETag', async () => {
    const subject = await created()
    const { headers } = await get(subject)
    const extractText = () => Promise.resolve({ text, sourceType: 'pdf' as const })
    await newExtractor(stand, { extractText }).upload(subject.file, text)
    const after = await get(subject)
    expect(after.body).toMatchObject({ status: 'pending', source_type: 'pdf' })
    expect(after.headers.etag).not.toBe(headers.etag)
  })

  test('is listed, is shown with its name percent-encoded, and can get a new title', async () => {
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

  test('is read by the agent’s MCP tools like any other', async () => {
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

  test('takes the origin of its work from the request that created it', async () => {
    const { file } = await created()
    const { rows } = await sql`select request_id, file_bytes from documents where id = ${file.id}`.execute(stand.db)
    expect(rows).toEqual([{ request_id: 'request-of-upload', file_bytes: 100 }])
  })
})

describe('what a client edits', () => {
  const holds = (subject: Subject, etag: string | undefined): Promise<Answer> =>
    patch(subject, { title: 'Edited' }, { 'if-match': etag! })

  test('does not include the extracted text: If-Match holds', async () => {
    const subject = await created()
    const { etag } = (await get(subject)).headers
    await subject.extractor.upload(subject.file, text)
    await stand.deliver()
    expect((await holds(subject, etag)).status).toBe(200)
  })

  test.each([{ status: 'pending' }, { content: 'Another text.' }, { title: 'Another' }])('is %o', async (edit) => {
    const subject = await completed()
    const { etag } = (await get(subject)).headers
    await patch(subject, edit)
    expect((await holds(subject, etag)).status).toBe(412)
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

  test('of its chunks leaves it to the client, and a retry extracts its text again', async () => {
    const subject = await completed()
    expect((await subject.tenant.call('DELETE', `${subject.file.path}/chunks`)).status).toBe(204)
    expect((await get(subject)).body).toMatchObject({ status: 'pending', chunk_count: 0, source_type: 'txt' })
    expect(await found(subject)).toEqual([])
    await patch(subject, { status: 'pending' })
    await extract(subject)
    expect(await found(subject)).toEqual([text])
  })
})

describe('creating it', () => {
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
  test.each(types.split(', ').map((row) => row.split(' ')))('takes %s for %s', async (extension, source_type) => {
    const { document } = await create(await stand.tenant(), { fileName: `a.${extension}` })
    expect(document).toMatchObject({ source_type, status: 'pending', content: null })
  })

  test('finds no agent of another organization', async () => {
    const [mine, other] = [await stand.tenant(), await stand.tenant()]
    await expect(create({ ...mine, agentId: other.agentId })).rejects.toThrow('no agent with this id')
  })

  test('is refused past the agent’s limit', async () => {
    const tenant = await stand.tenant()
    await fillAgent(stand, tenant, 10_000)
    await expect(create(tenant)).rejects.toThrow('at most 10,000 documents')
  })

  test('cuts a name that is too long for a key, and keeps its extension', async () => {
    const tenant = await stand.tenant()
    const { key } = await create(tenant, { fileName: `${'🚲'.repeat(300)}.pdf` })
    expect(key).toMatch(/🚲\.pdf$/u)
    expect(Buffer.byteLength(key)).toBeLessThan(1024)
  })
})
