import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { reportFile } from '../../shared/documents/client/file-document.ts'
import type { Queue } from '../../shared/work/outbox.ts'
import { createFile, filesOn, newExtractor, type TestFile } from '../support/documents/files.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, workMessage } from '../support/stand/worker.ts'

const stand = useStand()
const text = 'A day with the bike costs 20 euros.'
const done = { batchItemFailures: [] }
const { rowOf, get, set, created } = filesOn(stand)
const retry = (tenant: Tenant, { path }: TestFile) => tenant.call('PATCH', path, { status: 'pending' })

describe('a file that has arrived', () => {
  test('is handed over to the embedding, with its text stored, all counters at zero, and a message', async () => {
    const { tenant, file, extractor } = await created()
    const seen = await figuresOf(() => extractor.upload(file, text))
    expect(await rowOf(file)).toMatchObject({
      status: 'pending',
      extracted_text: text,
      attempt: 0,
      tries: 0,
      waits: null,
      lease_token: null,
      error_code: null,
      content_hash: expect.any(Buffer),
    })
    expect(extractor.sent).toEqual([])
    expect(seen).toEqual({ FilesExtracted: 1, ExtractionMilliseconds: expect.any(Number) })
    await stand.deliver()
    expect((await get(tenant, file)).status).toBe('completed')
  })

  test('shows its progress by pages, each of which renews the lease, and its notes once it is read', async () => {
    const { tenant, file } = await created()
    const shown = async () => {
      const { rows } = await sql`select pages_read, pages, lease_expires_at > now() + interval '140 s' as is_renewed,
        file_notes from documents where id = ${file.id}`.execute(stand.db)
      return rows[0]
    }
    const note = { code: 'doubtful_words', page: 3, text: '€14.S0' } as const
    const extractor = newExtractor(stand, {
      async extractText(_file, _name, _organizationId, progress) {
        await set(file, `lease_expires_at = now() + interval '1 s'`)
        progress?.(2, 12)
        const read = { pages_read: 2, pages: 12, is_renewed: true }
        await vi.waitFor(async () => expect(await shown()).toMatchObject(read), 30_000)
        return { text, sourceType: 'pdf', notes: [note] }
      },
    })
    await extractor.upload(file, text)
    expect(await shown()).toMatchObject({ pages_read: null, pages: null, file_notes: [note] })
    await set(file, `status = 'completed', active_revision = revision`)
    await retry(tenant, file)
    expect(await shown()).toMatchObject({ file_notes: [] })
  })

  test('is sent to the embedding by the next sweep if its message was lost', async () => {
    const { tenant, file } = await created()
    const broken: Queue = { send: () => Promise.reject(new Error('away')), changeVisibility: () => Promise.resolve() }
    expect(await newExtractor(stand, { embeddingQueue: broken }).upload(file, text)).toEqual(done)
    expect((await rowOf(file)).resends).toBeLessThanOrEqual(0)
    await stand.sweep()
    await stand.deliver()
    expect((await get(tenant, file)).status).toBe('completed')
  })
})

describe('a file that has not arrived', () => {
  test('waits: no attempt is counted, and its next message comes in two minutes', async () => {
    const { tenant, file, extractor } = await created()
    for (let i = 0; i < 7; i++) expect(await extractor.deliver(workMessage(file))).toEqual(done)
    const row = await rowOf(file)
    expect(row).toMatchObject({ status: 'pending', attempt: 0, retry_count: 0, lease_token: null })
    expect(row.waits).toBeLessThanOrEqual(0)
    expect(row.resends).toBeGreaterThan(110)
    expect(row.resends).toBeLessThanOrEqual(120)
    expect(await get(tenant, file)).toMatchObject({ status: 'pending', waiting: null })
    expect(extractor.sent).toEqual([])
    await extractor.upload(file, text)
    expect((await rowOf(file)).extracted_text).toBe(text)
  })

  test('before its form expires ends in error, and a retry does so at once', async () => {
    const { tenant, file, extractor } = await created()
    await set(file, `upload_until = upload_until - interval '119 minutes'`)
    await extractor.deliver(workMessage(file))
    expect((await rowOf(file)).status).toBe('pending')
    await set(file, `upload_until = upload_until - interval '2 minutes'`)
    await extractor.deliver(workMessage(file))
    const error_message = 'The file was not uploaded completely. Upload it again and delete this document.'
    expect(await get(tenant, file)).toMatchObject({ status: 'error', error_message })
    await retry(tenant, file)
    await extractor.deliver(workMessage(file))
    expect(await rowOf(file)).toMatchObject({ status: 'error', error_code: 'file_not_uploaded' })
    await retry(tenant, file)
    await extractor.upload(file, text)
    await stand.deliver()
    expect((await get(tenant, file)).status).toBe('completed')
  })
})

describe('a file whose post is reported', () => {
  const posted = async () => {
    const subject = await created()
    const { queue, sent } = keptQueue()
    return { ...subject, sent, report: () => reportFile({ db: stand.db, queue }, subject.file.scope, {}) }
  }

  test('is sent to extraction once, however often it is reported, and its age starts then', async () => {
    const { file, sent, report } = await posted()
    await set(file, `pending_since = now() - interval '1 hour'`)
    for (let i = 0; i < 20; i++) await report()
    await Promise.all(Array.from({ length: 20 }, report))
    expect(sent).toEqual([{ id: file.id, delaySeconds: 0 }])
    const { rows } = await sql`select now() - pending_since < interval '1 minute' as is_young from documents
      where id = ${file.id}`.execute(stand.db)
    expect(rows).toEqual([{ is_young: true }])
  })

  test('before it has arrived is reported again, and then read', async () => {
    const { file, sent, report, extractor } = await posted()
    await report()
    await extractor.deliver(workMessage(file))
    await report()
    expect(sent).toHaveLength(2)
    await extractor.upload(file, text)
    expect((await rowOf(file)).extracted_text).toBe(text)
  })

  test('once its text is extracted or its document completed stays as it is', async () => {
    const { tenant, file, sent, report, extractor } = await posted()
    await extractor.upload(file, text)
    await report()
    await stand.deliver()
    await report()
    expect(sent).toEqual([])
    expect(await get(tenant, file)).toMatchObject({ status: 'completed' })
  })
})

describe('a message', () => {
  test.each([
    ['text', 'no JSON'],
    ['another schema', '{"v":2}'],
    ['an event of S3', '{"Records":[{"s3":{"object":{"key":"a/b/c.txt"}}}]}'],
  ])('that is %s is dropped', async (_, body) => {
    expect(await newExtractor(stand).deliver(body)).toEqual(done)
  })

  test('that fails is reported, and the others of its batch are not', async () => {
    const tenant = await stand.tenant()
    const files = [await createFile(stand, tenant), await createFile(stand, tenant), await createFile(stand, tenant)]
    const extractor = newExtractor(stand, {
      extractText: (file) =>
        `${file}` === 'bad' ? Promise.reject(new Error('bad')) : Promise.resolve({ text, sourceType: 'txt' }),
    })
    for (const [i, { key }] of files.entries()) extractor.files.set(key, Buffer.from(i === 1 ? 'bad' : text))
    const bodies = files.map((each) => workMessage(each))
    expect(await extractor.deliver(...bodies)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] })
    expect((await rowOf(files[2]!)).extracted_text).toBe(text)
  })

  test('for the other Lambda has no effect', async () => {
    const { tenant, file, extractor } = await created()
    await stand.embedding(workMessage(file))
    expect(await rowOf(file)).toMatchObject({ status: 'pending', tries: 0 })
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: text })
    await extractor.deliver(workMessage({ ...file, id: body.id }))
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body).toEqual(body)
  })

  test('reaches no document of another organization', async () => {
    const { file, extractor } = await created()
    const other = await stand.tenant()
    extractor.files.set(file.key, Buffer.from(text))
    await extractor.deliver(workMessage({ ...file, organizationId: other.organizationId }))
    expect(await rowOf(file)).toMatchObject({ status: 'pending', tries: 0 })
    expect(extractor.files.has(file.key)).toBe(true)
  })
})
