import { describe, expect, test } from 'vitest'
import { readFile } from '../../functions/extraction/text/read-file.ts'
import { Unreadable } from '../../shared/text/unreadable.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { Queue } from '../../shared/work/outbox.ts'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { filesOn, newExtractor, type TestFile } from '../support/documents/files.ts'
import { figuresOf } from '../support/logs/figures-of.ts'
import { useStand } from '../support/stand/stand.ts'
import { workMessage } from '../support/stand/worker.ts'

const stand = useStand()
const connection = useFaultyConnection()

const text = 'A day with the bike costs 20 euros.'
const done = { batchItemFailures: [] }
const failed = { batchItemFailures: [{ itemIdentifier: '0' }] }

const { rowOf, get, set, created } = filesOn(stand)
const reading = { extractText: (file: Buffer, name: string) => readFile(file, name) }
const makeDue = (file: TestFile) => set(file, 'next_attempt_at = now()')

describe('a faulty file ends in error after one attempt, with a message that says what to do:', () => {
  const letters = (bytes: number) => 'a'.repeat(bytes)
  test.each([
    ['one without a letter or digit', '… — 🚲\n', 'file_unreadable', /contains no text\. .* upload it again/],
    ['an empty one', '', 'file_unreadable', /is empty\. Choose the right file/],
    [
      'one with more text than a document may have',
      letters(4 * 1024 * 1024 + 1),
      'file_unreadable',
      /4 MiB .* Split it/,
    ],
    ['one of more than 50 MB', Buffer.alloc(50 * 1024 * 1024 + 1), 'file_too_large', /more than 50 MB/],
  ])('%s', async (_, content, code, message) => {
    const { tenant, file } = await created()
    const extractor = newExtractor(stand, reading)
    const seen = await figuresOf(async () => expect(await extractor.upload(file, content)).toEqual(done))
    expect(await rowOf(file)).toMatchObject({ status: 'error', error_code: code, attempt: 1, extracted_text: null })
    expect((await get(tenant, file)).error_message).toMatch(message)
    expect(seen).toEqual({ DocumentsFailed: 1 })
  })

  test('but not one with as much text as a document may have', async () => {
    const { file } = await created()
    await newExtractor(stand, reading).upload(file, letters(4 * 1024 * 1024))
    expect(await rowOf(file)).toMatchObject({ status: 'pending', error_code: null })
    await set(file, `status = 'completed', active_revision = revision`)
  })
})

describe('an internal error', () => {
  const extractText = () => Promise.reject(new Error('canary'))

  test('is retried by the same message after growing delays, and the fifth ends in error', async () => {
    const { tenant, file } = await created()
    const waits: number[] = []
    const changeVisibility = (_: string, seconds: number) => Promise.resolve(void waits.push(seconds))
    const queue: Queue = { send: () => Promise.resolve(), changeVisibility }
    const extractor = newExtractor(stand, { extractText, queue })
    expect(await extractor.upload(file, text)).toEqual(failed)
    const reason = 'Processing failed because of an internal error'
    const waiting = { reason, attempts: 1, next_attempt_at: expect.any(String) }
    expect(await get(tenant, file)).toMatchObject({ status: 'pending', waiting })
    for (let i = 2; i <= 5; i++) {
      await makeDue(file)
      expect(await extractor.deliver(workMessage(file))).toEqual(failed)
    }
    expect(waits).toEqual([4, 8, 16, 32, 64])
    expect(await rowOf(file)).toMatchObject({ status: 'error', error_code: 'attempts_exhausted', attempt: 5 })
    expect((await get(tenant, file)).error_message).toMatch(/Save it in another format/)
    expect(await extractor.deliver(workMessage(file))).toEqual(done)
  })

  test('does not count against the embedding of the text', async () => {
    const { file } = await created()
    let failures = 4
    const extractor = newExtractor(stand, {
      extractText: () => (failures-- > 0 ? extractText() : Promise.resolve({ text, sourceType: 'txt' })),
    })
    await extractor.upload(file, text)
    for (let i = 0; i < 4; i++) {
      await makeDue(file)
      await extractor.deliver(workMessage(file))
    }
    expect(await rowOf(file)).toMatchObject({ status: 'pending', extracted_text: text, attempt: 0, tries: 0 })
  })
})

test('a document waits for the bucket, with a new message and no attempt counted, and says why', async () => {
  const { tenant, file } = await created()
  const away = () => Promise.reject(new Unavailable('file_storage', new Error('timeout')))
  const extractor = newExtractor(stand, { bucket: { get: away } })
  for (let i = 0; i < 6; i++) {
    await makeDue(file)
    expect(await extractor.deliver(workMessage(file))).toEqual(done)
  }
  expect(extractor.sent.map((each) => each.delaySeconds)).toEqual([4, 8, 16, 32, 64, 128])
  expect(await rowOf(file)).toMatchObject({ status: 'pending', attempt: 0, retry_count: 0 })
  const waiting = { reason: 'The file storage could not be reached', attempts: 6 }
  expect((await get(tenant, file)).waiting).toMatchObject(waiting)
})

describe('a lost connection to the database', () => {
  const claiming = /is_upload_over/
  const handingOver = /\\"extracted_text\\" = /

  test.each([
    ['claiming', claiming],
    ['handing over', handingOver],
  ])('while %s causes no second extraction, and loses no message', async (_, statement) => {
    const { tenant, file } = await created()
    let times = 0
    const extractor = newExtractor(stand, {
      extractText: () => Promise.resolve({ text: `${text} ${++times}`, sourceType: 'txt' }),
    })
    connection.cut('after', statement)
    expect(await extractor.upload(file, text)).toEqual(done)
    expect(connection.unmet).toBe(0)
    await stand.deliver()
    expect(await get(tenant, file)).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect(times).toBe(1)
  })

  test('while handing over, twice, costs no attempt', async () => {
    const { tenant, file, extractor } = await created()
    connection.cut('before', handingOver, 2)
    expect(await extractor.upload(file, text)).toEqual(done)
    expect(await rowOf(file)).toMatchObject({ status: 'pending', attempt: 0, extracted_text: null })
    expect((await get(tenant, file)).waiting).toMatchObject({ reason: 'The database could not be reached' })
    expect(extractor.sent).toHaveLength(1)
    await makeDue(file)
    await extractor.deliver(workMessage(file))
    expect((await rowOf(file)).extracted_text).toBe(text)
  })

  test('after the hand-over, twice, changes nothing: the sweeper sends the message', async () => {
    const { tenant, file, extractor } = await created()
    connection.cut('after', handingOver, 2)
    expect(await extractor.upload(file, text)).toEqual(done)
    expect(connection.unmet).toBe(0)
    expect(extractor.sent).toEqual([])
    const handedOver = { status: 'pending', extracted_text: text, attempt: 0, tries: 0, waits: null }
    expect(await rowOf(file)).toMatchObject(handedOver)
    expect(await get(tenant, file)).toMatchObject({ status: 'pending', waiting: null })
    await set(file, 'resend_at = now()')
    await stand.sweep()
    await stand.deliver()
    expect((await get(tenant, file)).status).toBe('completed')
  })

  test('while claiming, twice, leaves the message to another delivery', async () => {
    const { file } = await created()
    connection.cut('before', claiming, 2)
    expect(await newExtractor(stand).upload(file, text)).toEqual(failed)
    expect(connection.unmet).toBe(0)
    expect(await rowOf(file)).toMatchObject({ status: 'pending', attempt: 0 })
  })

  test('while failing is repeated', async () => {
    const { file } = await created()
    connection.cut('before', statements.fail)
    const extractText = () => Promise.reject(new Unreadable('damaged'))
    await newExtractor(stand, { extractText }).upload(file, text)
    expect(await rowOf(file)).toMatchObject({ status: 'error', error_code: 'file_unreadable' })
  })
})
