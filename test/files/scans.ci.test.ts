import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { readFile } from '../../functions/extraction/text/read-file.ts'
import { newExtractor, newFile } from '../support/documents/files.ts'
import { useStand } from '../support/stand/stand.ts'
import { fixture } from './fixture.ts'

const stand = useStand()

test('search finds a price of a scan with its header, and the document is a PDF', async () => {
  const { tenant, file } = await newFile(stand, { fileName: 'price-list.scan.pdf' })
  await newExtractor(stand, { extractText }).upload(file, fixture('price-list.scan.pdf'))
  await stand.deliver()
  expect((await tenant.call('GET', file.path)).body).toMatchObject({ status: 'completed', source_type: 'pdf' })
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'price of the full service' })
  expect(body.data[0].content).toMatch(
    /\| Service \| Code \| Price \| Time \|.*\| Full service \| FC-110 \| €1,089.90 \|/s,
  )
  const { rows } = await sql`select pages_read, file_notes from documents where id = ${file.id}`.execute(stand.db)
  expect(rows).toEqual([{ pages_read: null, file_notes: [] }])
})

test('dots that lead from a label to its price are not read as letters', async () => {
  const { text } = await readFile(fixture('leaders.scan.png'), 'leaders.scan.png')
  const rows = [...text.matchAll(/^\| (\w.*?) \| (.*?) \|$/gm)].map(([, label, price]) => `${label}: ${price}`)
  const prices = 'Crab roll: 11.40, Pickled herring: 6.90, Two fishcakes on toast: 5.20, Seaweed salad: 4.80'
  expect(rows.join(', ')).toBe(`${prices}, Pot of rhubarb tea: 3.70, Smoked mackerel bagel: 9.30`)
})

test('words of a photo that are hard to read are noted as the text has them', async () => {
  // It has a third of its original size.
  const { text, notes = [] } = await readFile(fixture('blurred.photo.jpg'), 'blurred.photo.jpg')
  expect(notes.length).toBeGreaterThan(0)
  for (const note of notes) {
    expect(note).toMatchObject({ code: 'doubtful_words', page: 1 })
    expect(text).toContain('text' in note && note.text)
  }
})
