import { describe, expect, test } from 'vitest'
import { axis } from '../support/axis.ts'
import { type Tenant, useStand } from '../support/stand.ts'
import { strayRows } from '../support/stray-rows.ts'

const stand = useStand()

interface Subject {
  tenant: Tenant
  path: string
}

async function create(input: object = {}, shared?: Tenant): Promise<Subject> {
  const tenant = shared ?? (await stand.tenant())
  const { headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', ...input })
  return { tenant, path: headers.location! }
}

const content = 'A text.'
const found = (chunk_index: number) => ({ content: `${chunk_index}`, chunk_index, embedding: axis(chunk_index) })
const hidden = (chunk_index: number) => ({ content: `${chunk_index}`, chunk_index })
const upload = ({ tenant, path }: Subject, ...chunks: object[]) => tenant.call('POST', `${path}/chunks`, { chunks })
const patch = ({ tenant, path }: Subject, body: object) => tenant.call('PATCH', path, body)
const complete = (subject: Subject) => patch(subject, { status: 'completed' })

/** `chunk_count` and `searchable_chunk_count`, as the document and the list show them and as a search has it. */
async function counts({ tenant, path }: Subject): Promise<[number, number]> {
  const { body } = await tenant.call('GET', path)
  const list = await tenant.call('GET', tenant.knowledgeBase)
  expect(list.body.data).toContainEqual(body)
  const search = { embedding: axis(0), limit: 50, document_ids: [body.id] }
  const hits = await tenant.call('POST', `${tenant.knowledgeBase}/search`, search)
  expect(body.searchable_chunk_count).toBe(hits.body.data.length)
  expect(await strayRows(stand.db)).toEqual([])
  return [body.chunk_count, body.searchable_chunk_count]
}

describe('of a document, search finds', () => {
  test('nothing before its first revision, all of each revision, and the last one while the next is made', async () => {
    const subject = await create({ content })
    expect(await counts(subject)).toEqual([0, 0])
    await stand.deliver()
    expect(await counts(subject)).toEqual([1, 1])
    const sentences = Array.from({ length: 60 }, (_, i) => `Sentence number ${i} tells of one more thing in our shop.`)
    await patch(subject, { content: sentences.join('\n\n') })
    expect(await counts(subject)).toEqual([1, 1])
    await stand.deliver()
    const [listed, searchable] = await counts(subject)
    expect(listed).toBeGreaterThan(1)
    expect(searchable).toBe(listed)
    await patch(subject, { content: 'Another.' })
    expect(await counts(subject)).toEqual([listed, listed])
  })

  test('of its caller’s chunks, once they are completed, those with an embedding', async () => {
    const subject = await create()
    await upload(subject, found(0), hidden(1))
    expect(await counts(subject)).toEqual([2, 0])
    expect((await complete(subject)).body).toMatchObject({ chunk_count: 2, searchable_chunk_count: 1 })
    expect(await counts(subject)).toEqual([2, 1])
  })

  test('of chunks that come later those with an embedding, at once', async () => {
    const subject = await create()
    await upload(subject, found(0))
    await complete(subject)
    const { headers } = await subject.tenant.call('GET', subject.path)
    await upload(subject, found(1), hidden(2), found(3))
    expect(await counts(subject)).toEqual([4, 3])
    const again = await subject.tenant.call('GET', subject.path, undefined, { 'if-none-match': headers.etag! })
    expect(again.status).toBe(200)
    await upload(subject, hidden(4))
    expect(await counts(subject)).toEqual([5, 3])
  })

  test('the old chunks while a caller takes it over, the caller’s once they are completed, and those on when it goes back', async () => {
    const subject = await create({ content })
    await stand.deliver()
    await upload(subject, found(0), hidden(1), found(2))
    expect(await counts(subject)).toEqual([3, 1])
    await complete(subject)
    expect(await counts(subject)).toEqual([3, 2])
    await patch(subject, { content: 'Another text.' })
    expect(await counts(subject)).toEqual([3, 2])
    await upload(subject, found(0))
    expect(await counts(subject)).toEqual([1, 2])
    await patch(subject, { status: 'pending' })
    expect(await counts(subject)).toEqual([3, 2])
    await stand.deliver()
    expect(await counts(subject)).toEqual([1, 1])
  })

  test('none of it once its chunks are deleted', async () => {
    const subject = await create({ content })
    await stand.deliver()
    await subject.tenant.call('DELETE', `${subject.path}/chunks`)
    expect(await counts(subject)).toEqual([0, 0])
    await upload(subject, found(0))
    expect(await counts(subject)).toEqual([1, 0])
  })

  test('as many after batches that came at the same time as have an embedding', async () => {
    const subject = await create()
    await upload(subject, found(0))
    const batches = Array.from({ length: 8 }, (_, i) => upload(subject, found(2 * i + 1), hidden(2 * i + 2)))
    await Promise.all([...batches.slice(0, 4), complete(subject), ...batches.slice(4)])
    expect(await counts(subject)).toEqual([17, 9])
  })
})
