import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { ReaderProcess } from '../../functions/extraction/text/reader-process.ts'
import { docxOf, paragraph } from './hostile-files.ts'

const request = { file: docxOf(paragraph('Open on Sundays')), fileName: 'a.docx' }
const large = { file: Buffer.from(`<!doctype html>${'<p><b><i>price '.repeat(200_000)}`), fileName: 'a.html' }
const text = { text: 'Open on Sundays' }
const tooComplex = (message: string) => ({ code: 'too_complex', cause: expect.objectContaining({ message }) })

let reader: ReaderProcess
afterEach(() => reader.end())

const open = (limits: { seconds?: number; memoryMb?: number } = {}) => {
  reader = new ReaderProcess({ seconds: 40, memoryMb: 1_024, ...limits })
  return reader
}

test('a process is kept for the next file', async () => {
  await open().read(request)
  const first = reader.pid
  await reader.read(request)
  expect(first).toBeDefined()
  expect(reader.pid).toBe(first)
})

test('a file that takes too long is given up, and the next is read', async () => {
  await expect(open({ seconds: 2 }).read(large)).rejects.toMatchObject(tooComplex('It took too long'))
  expect(reader.pid).toBeUndefined()
  expect(await open().read(request)).toMatchObject(text)
})

test('a file that takes too much memory is given up', async () => {
  await expect(open({ memoryMb: 60 }).read(large)).rejects.toMatchObject(
    tooComplex('It took more than 60 MB of memory'),
  )
})

test('a process that somebody kills is replaced, between files and in the middle of one', async () => {
  await open().read(request)
  process.kill(reader.pid!, 'SIGKILL')
  expect(await reader.read(request)).toMatchObject(text)
  const reading = reader.read(request)
  process.kill(reader.pid!, 'SIGKILL')
  expect(await reading).toMatchObject(text)
})

test.skipIf(process.platform !== 'linux')('a process has none of our environment', async () => {
  process.env.SECRET_OF_THE_TEST = 'a-secret'
  await open().read(request)
  expect(readFileSync(`/proc/${reader.pid}/environ`, 'utf8')).not.toContain('a-secret')
})

test('a fault of ours is no fault of the file', async () => {
  const reading = open().read({ file: null as unknown as Buffer, fileName: 'a.docx' })
  await expect(reading).rejects.toThrow('A file could not be read')
  await expect(reading).rejects.not.toHaveProperty('code')
})
