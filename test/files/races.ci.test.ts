import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { Extraction } from '../../functions/extraction/extract-document.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { Unreadable } from '../../shared/text/unreadable.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { routedQueue, sqsQueue } from '../../shared/work/sqs-queue.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { age, expireLease } from '../support/documents/documents.ts'
import { createFile, filesOn, newExtractor } from '../support/documents/files.ts'
import { axis } from '../support/provider/axis.ts'
import { memoryBucket } from '../support/stand/memory-bucket.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith, workMessage } from '../support/stand/worker.ts'
import { gateFor } from '../support/time/gate.ts'

const stand = useStand()

afterEach(async () => {
  const stray = await strayRows(stand.db)
  // The sweeper works across organizations, so each test leaves no work behind.
  await sql`truncate organizations, obsolete_files cascade`.execute(stand.db)
  expect(stray).toEqual([])
})

const text = 'A day with the bike costs 20 euros.'
const done = { batchItemFailures: [] }

const { created, get, rowOf } = filesOn(stand)
const found = async (tenant: Tenant): Promise<string[]> =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'a day with the bike' })).body.data.map(
    (hit: { content: string }) => hit.content,
  )

/** An extractor that acts during its first extraction, and then gives a text or fails. */
function interrupted(act: () => Promise<unknown>, made: string | Unreadable = text) {
  let times = 0
  const extractText: Extraction['extractText'] = async () => {
    if (times++ === 0) await act()
    if (made instanceof Unreadable) throw made
    return { text: made, sourceType: 'txt' }
  }
  return newExtractor(stand, { extractText })
}

/** Sweeps once, and delivers the messages for files to the extractor. @returns the sweep's report, and the messages' documents */
async function sweepInto(extractor: ReturnType<typeof newExtractor>) {
  const sent: string[] = []
  const extraction: Sender = {
    async send(work) {
      sent.push(work.id)
      await extractor.deliver(workMessage(work))
    },
  }
  const embedding = sqsQueue(stand.queue.queueUrl)
  const report = await sweep(sweeperWith(routedQueue({ embedding, extraction }), extractor.bucket))
  await stand.deliver()
  return { report, sent }
}

describe('between workers', () => {
  test('a message after the hand-over, or after the end, changes nothing', async () => {
    const { tenant, file, extractor } = await created()
    await extractor.upload(file, text)
    const before = await tenant.call('GET', file.path)
    expect(await extractor.deliver(workMessage(file))).toEqual(done)
    expect((await tenant.call('GET', file.path)).headers.etag).toBe(before.headers.etag)
    await stand.deliver()
    const completed = await tenant.call('GET', file.path)
    expect(await extractor.deliver(workMessage(file))).toEqual(done)
    expect((await tenant.call('GET', file.path)).headers.etag).toBe(completed.headers.etag)
    expect(extractor.files.has(file.key)).toBe(true)
  })

  test('a zombie whose document was recovered meanwhile neither hands over nor fails it', async () => {
    for (const made of ['Text of the zombie.', new Unreadable('no_text')]) {
      const { file } = await created()
      const zombie = interrupted(async () => {
        await expireLease(stand.db, file)
        await sweep(sweeperWith(keptQueue().queue))
      }, made)
      expect(await zombie.upload(file, text)).toEqual(done)
      expect(await rowOf(file)).toMatchObject({ status: 'pending', extracted_text: null, attempt: 1 })
    }
  })
})

describe('between a request and an extraction', () => {
  test('a deletion wins, and the file is deleted', async () => {
    const { tenant, file } = await created()
    const extractor = interrupted(async () => {
      expect((await tenant.call('DELETE', file.path)).status).toBe(204)
    })
    expect(await extractor.upload(file, text)).toEqual(done)
    expect((await tenant.call('GET', file.path)).status).toBe(404)
    expect(await sweepInto(extractor)).toMatchObject({ report: { files_deleted: 1 } })
    expect(extractor.files.size).toBe(0)
  })

  test('PATCH content wins, and the file is deleted', async () => {
    const { tenant, file } = await created()
    const content = 'A day with the bike is free.'
    const extractor = interrupted(async () => {
      expect((await tenant.call('PATCH', file.path, { content })).status).toBe(200)
    })
    expect(await extractor.upload(file, text)).toEqual(done)
    expect(await get(tenant, file)).toMatchObject({ status: 'pending', content, source_url: null })
    await sweepInto(extractor)
    expect(extractor.files.size).toBe(0)
    expect(await get(tenant, file)).toMatchObject({ status: 'completed', content, source_type: 'manual' })
    expect(await found(tenant)).toEqual([content])
  })

  test('an upload of chunks wins', async () => {
    const { tenant, file } = await created()
    const chunks = [{ content: 'Mine.', chunk_index: 0, embedding: axis(0) }]
    const extractor = interrupted(() => tenant.call('POST', `${file.path}/chunks`, { chunks }))
    expect(await extractor.upload(file, text)).toEqual(done)
    expect(await get(tenant, file)).toMatchObject({ status: 'pending', chunk_count: 1 })
    expect(await rowOf(file)).toMatchObject({ extracted_text: null })
    await tenant.call('PATCH', file.path, { status: 'completed' })
    expect((await get(tenant, file)).status).toBe('completed')
  })
})

describe('between the bucket and the sweeper', () => {
  test('the sweeper replaces a lost report after two minutes, even for a file that came an hour late', async () => {
    const { tenant, file, extractor } = await created()
    extractor.files.set(file.key, Buffer.from(text))
    await sql`update documents set upload_until = upload_until - interval '100 minutes'`.execute(stand.db)
    await age(stand.db, 110)
    expect((await sweepInto(extractor)).sent).toEqual([])
    await age(stand.db, 20)
    expect((await sweepInto(extractor)).sent).toEqual([file.id])
    expect((await get(tenant, file)).status).toBe('completed')
  })

  test('a file that is posted after its document was deleted is deleted once no more files can arrive', async () => {
    const { tenant, file, extractor } = await created()
    await tenant.call('DELETE', file.path)
    expect((await sweepInto(extractor)).report).toMatchObject({ files_deleted: 1 })
    expect(await extractor.upload(file, text)).toEqual(done)
    expect((await sweepInto(extractor)).report).toMatchObject({ files_deleted: 0 })
    const by = sql`interval '121 minutes'`
    await sql`update obsolete_files set delete_at = delete_at - ${by}, last_at = last_at - ${by}`.execute(stand.db)
    expect((await sweepInto(extractor)).report).toMatchObject({ files_deleted: 1 })
    expect(extractor.files.size).toBe(0)
    expect(await stand.db.selectFrom('obsolete_files').selectAll().execute()).toEqual([])
  })

  test('a file that is posted after its document became a text is not read', async () => {
    const { tenant, file, extractor } = await created()
    await tenant.call('PATCH', file.path, { content: 'A text.' })
    expect(await extractor.upload(file, text)).toEqual(done)
    await stand.deliver()
    expect(await get(tenant, file)).toMatchObject({ status: 'completed', content: 'A text.' })
  })

  test('a file that a document still names is never deleted, whatever else is', async () => {
    const { tenant, file, extractor } = await created()
    const other = await createFile(stand, tenant)
    await extractor.upload(file, text)
    await extractor.upload(other, text)
    await tenant.call('DELETE', other.path)
    await tenant.call('PATCH', file.path, { status: 'pending' })
    await sweepInto(extractor)
    expect([...extractor.files.keys()]).toEqual([file.key])
  })

  test('a claim of a file that is deleted before it is read leaves no trace', async () => {
    const { tenant, file, extractor } = await created()
    const get = () => tenant.call('DELETE', file.path).then(() => undefined)
    expect(await newExtractor(stand, { bucket: { ...extractor.bucket, get } }).deliver(workMessage(file))).toEqual(done)
    expect((await tenant.call('GET', file.path)).status).toBe(404)
  })
})

describe('between sweepers', () => {
  /** One file to extract, and one to delete. */
  async function due() {
    const { tenant, file } = await created()
    const gone = await createFile(stand, tenant)
    await tenant.call('DELETE', gone.path)
    await age(stand.db, 121)
    return { file, gone }
  }

  test('two send one message for a file, and delete it once or twice with the same result', async () => {
    const { file, gone } = await due()
    const both = gateFor(2)
    const deleted: string[] = []
    const bucket = {
      ...memoryBucket(),
      async delete(keys: readonly string[]) {
        deleted.push(...keys)
        await both()
      },
    }
    const { queue, sent } = keptQueue()
    await Promise.all([1, 2].map(() => sweep(sweeperWith(queue, bucket))))
    expect(sent).toMatchObject([{ id: file.id }])
    expect(new Set(deleted)).toEqual(new Set([gone.key]))
    expect(await sweep(sweeperWith(queue, bucket))).toMatchObject({ files_deleted: 0 })
  })

  test('one that cannot reach the bucket does all other work, and deletes the files later', async () => {
    const { file, gone } = await due()
    const { queue, sent } = keptQueue()
    const bucket = { ...memoryBucket(), delete: () => Promise.reject(new Error('away')) }
    await expect(sweep(sweeperWith(queue, bucket))).rejects.toThrow('Not swept: files_deleted')
    expect(sent).toMatchObject([{ id: file.id }])
    const extractor = newExtractor(stand)
    extractor.files.set(gone.key, Buffer.from(text))
    expect((await sweepInto(extractor)).report).toMatchObject({ files_deleted: 1 })
    expect(extractor.files.size).toBe(0)
  })
})
