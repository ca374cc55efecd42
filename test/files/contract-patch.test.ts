import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { documentsApp } from '../../functions/documents/app.ts'
import { routedQueue } from '../../shared/queue.ts'
import { newExtractor, newFile, type TestFile, workMessage } from '../support/documents/files.ts'
import { axis } from '../support/provider/axis.ts'
import { callerOf } from '../support/stand/own-app.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue } from '../support/stand/worker.ts'

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

/** Its text is being extracted while `act` runs. */
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
/** What an extraction Lambda makes of our message. */
const extract = ({ file, extractor }: Subject) => extractor.deliver(workMessage(file)).then(() => stand.deliver())

async function refuses(subject: Subject, body: object, code: string) {
  const before = await get(subject)
  expect(await patch(subject, body)).toMatchObject({ status: 409, body: { code } })
  const after = await get(subject)
  expect(after.body).toEqual(before.body)
  expect(after.headers.etag).toBe(before.headers.etag)
}

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

  test('sends its message to the queue of the files, and content its own to that of the texts', async () => {
    const { tenant, file } = await completed()
    const [embedding, extraction] = [keptQueue(), keptQueue()]
    const queue = routedQueue({ embedding: embedding.queue, extraction: extraction.queue })
    const call = callerOf(
      documentsApp({ presigner: unusedPresigner, db: databaseAs('cuecard_documents'), queue }),
      tenant.apiKey,
    )
    expect((await call('PATCH', file.path, { status: 'pending' })).status).toBe(200)
    expect(extraction.sent).toMatchObject([{ documentId: file.id }])
    expect(embedding.sent).toEqual([])
    expect((await call('PATCH', file.path, { content: text })).status).toBe(200)
    expect(extraction.sent).toHaveLength(1)
    expect(embedding.sent).toMatchObject([{ documentId: file.id }])
  })

  test('is 409 while its text is being extracted', async () => {
    const subject = await whileExtracting((during) => refuses(during, { status: 'pending' }, 'processing_in_progress'))
    await stand.deliver()
    expect((await get(subject)).body.status).toBe('completed')
  })

  test('gives a document that was taken over back to the service, which extracts its text again', async () => {
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

  test('of a completed document changes nothing', async () => {
    const subject = await completed()
    const before = await get(subject)
    expect((await patch(subject, { status: 'completed' })).body).toEqual(before.body)
  })
})

describe('PATCH content', () => {
  const content = 'A day with the bike costs 30 euros.'

  test.each(statuses)('makes a %s document a text: its file goes', async (_, make) => {
    const subject = await make()
    const answer = await patch(subject, { content })
    expect(answer.body).toMatchObject({ status: 'pending', content, source_type: 'manual', source_url: null })
    expect(await obsolete(subject)).toBe(true)
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', content, source_url: null })
    expect(await found(subject)).toEqual([content])
  })

  test('with the very text that was extracted makes it a text too', async () => {
    const subject = await completed()
    const answer = await patch(subject, { content: text })
    expect(answer.body).toMatchObject({ status: 'pending', content: text, source_type: 'manual', source_url: null })
    await stand.deliver()
    expect((await get(subject)).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect((await patch(subject, { content: text })).body).toMatchObject({ status: 'completed' })
  })

  test('with status: pending does both', async () => {
    const subject = await failed()
    expect((await patch(subject, { content, status: 'pending' })).body).toMatchObject({ content, source_url: null })
    await stand.deliver()
    expect((await get(subject)).body.status).toBe('completed')
  })

  test('with status: completed is 409', async () => {
    await refuses(await completed(), { content, status: 'completed' }, 'invalid_transition')
  })
})
