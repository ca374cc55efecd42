import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { ReaderProcess } from '../../functions/extraction/text/reader-process.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { createFile, newExtractor } from '../support/documents/files.ts'
import { useStand } from '../support/stand/stand.ts'
import { fixture } from './fixture.ts'
import { docxOf, paragraph } from './office-files.ts'

const request = { file: docxOf(paragraph('Open on Sundays')), fileName: 'a.docx' }
const large = { file: Buffer.from(`<!doctype html>${'<p><b><i>price '.repeat(200_000)}`), fileName: 'a.html' }
const text = { text: 'Open on Sundays' }
const tooComplex = (message: string) => ({ code: 'too_complex', cause: expect.objectContaining({ message }) })

const stand = useStand()

let reader: ReaderProcess
afterEach(() => reader.end())

const open = (limits: { seconds?: number; secondsInAll?: number; memoryMb?: number } = {}) => {
  reader = new ReaderProcess({ seconds: 40, secondsInAll: 240, memoryMb: 1_024, ...limits })
  return reader
}

const mine = newId() as OrganizationId
const read = (by = reader) => by.read(request, mine)

test('a process is kept for the next file', async () => {
  await read(open())
  const first = reader.pid
  await read()
  expect(first).toBeDefined()
  expect(reader.pid).toBe(first)
})

test('a file that takes too long is aborted, and the next is read', async () => {
  await expect(open({ seconds: 2 }).read(large, mine)).rejects.toMatchObject(tooComplex('It took too long'))
  expect(reader.pid).toBeUndefined()
  expect(await read(open())).toMatchObject(text)
})

test('a scan whose pages take too long in total is aborted, with a message about its pages', async () => {
  const file = fixture('price-list.scan.pdf')
  const reading = open({ secondsInAll: 1 }).read({ file, fileName: 'scan.pdf' }, mine)
  await expect(reading).rejects.toMatchObject({ code: 'too_many_scans' })
})

test('a file that takes too much memory is aborted', async () => {
  await expect(open({ memoryMb: 60 }).read(large, mine)).rejects.toMatchObject(
    tooComplex('It took more than 60 MB of memory'),
  )
})

test('a process reads the files of one organization only: another’s file starts another process', async () => {
  const pids: (number | undefined)[] = []
  open()
  const extractor = newExtractor(stand, {
    async extractText(file, fileName, organizationId) {
      const extracted = await reader.read({ file, fileName }, organizationId)
      pids.push(reader.pid)
      return extracted
    },
  })
  const [one, two] = [await stand.tenant(), await stand.tenant()]
  for (const tenant of [one, one, two, one]) await extractor.upload(await createFile(stand, tenant), request.file)
  const [first, again, other, last] = pids
  expect(again).toBe(first)
  expect(new Set([undefined, first, other, last]).size).toBe(4)
  expect(() => process.kill(first!, 0)).toThrow('ESRCH')
})

test('a process that somebody kills is replaced, between files and in the middle of one', async () => {
  await read(open())
  process.kill(reader.pid!, 'SIGKILL')
  expect(await read()).toMatchObject(text)
  const reading = read()
  process.kill(reader.pid!, 'SIGKILL')
  expect(await reading).toMatchObject(text)
})

test.skipIf(process.platform !== 'linux')('a process has none of our environment', async () => {
  process.env.SECRET_OF_THE_TEST = 'a-secret'
  await read(open())
  expect(readFileSync(`/proc/${reader.pid}/environ`, 'utf8')).not.toContain('a-secret')
})

test('an internal error is not reported as the file’s fault', async () => {
  const reading = open().read({ file: null as unknown as Buffer, fileName: 'a.docx' }, mine)
  await expect(reading).rejects.toThrow('A file could not be read')
  await expect(reading).rejects.not.toHaveProperty('code')
})
