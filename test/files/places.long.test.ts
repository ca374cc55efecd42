import { expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { movedStarts } from '../../shared/documents/text/page-starts.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { createFile, newExtractor } from '../support/documents/files.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { fixture } from './fixture.ts'

const stand = useStand()

const sourceOf = async (tenant: Tenant, query: string): Promise<Hit['source']> =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body.data[0].source

async function served(fileName: string) {
  const tenant = await stand.tenant()
  const file = await createFile(stand, tenant, { fileName })
  await newExtractor(stand, { extractText }).upload(file, fixture(fileName))
  await stand.deliver()
  return { tenant, file }
}

test.each([
  ['parts.pdf', 'what is spare part SP-4002', 1],
  ['parts.pdf', 'spare part SP-4060', 2],
  ['parts.pdf', 'spare part SP-4118', 4],
  ['price-list.impress.pdf', 'opening hours on Saturday', 4],
  ['price-list.xlsx', 'opening hours on Saturday', 'Opening hours'],
  ['price-list.ods', 'rental of a cargo bike', 'Rental'],
  ['price-list.pptx', 'puncture repair', 2],
  ['price-list.docx', 'puncture repair', null],
])('a hit of %s for “%s” says its page: %s', async (fileName, query, page) => {
  const { tenant } = await served(fileName)
  expect(await sourceOf(tenant, query)).toMatchObject({ title: expect.any(String), url: null, page })
})

test('a hit has its heading, and that of a web page its address; a client’s own chunks have no page, even of a file', async () => {
  const { tenant, file } = await served('price-list.pptx')
  const address = 'https://example.com/opening'
  const path = `${tenant.knowledgeBase}/by-external-id/${encodeURIComponent(encodeURIComponent(address))}`
  await tenant.call('PUT', path, { title: 'Visit us', content: '# Towels\n\n## Sauna\n\nBring a towel to the sauna.' })
  await stand.deliver()
  expect(await sourceOf(tenant, 'a towel in the sauna')).toEqual({
    title: 'Visit us',
    url: address,
    page: null,
    heading: 'Sauna',
  })
  const chunk = { chunk_index: 1, content: 'Locker 7 is broken.', metadata: { headings: ['Lockers'] } }
  const embedding = Array.from({ length: 1536 }, (_, i) => (i === 3 ? 1 : 0))
  await tenant.call('POST', `${file.path}/chunks`, { chunks: [{ ...chunk, embedding }] })
  await tenant.call('PATCH', file.path, { status: 'completed' })
  expect(await sourceOf(tenant, 'locker 7')).toMatchObject({ url: null, page: null, heading: 'Lockers' })
})

test('an edit moves the starts of pages, even of a page whose first words it changes', () => {
  const before = 'One costs €8.20.\n\nTwo is closed on Monday.\n\nThree has a garden.'
  const starts = ['One', 'Two', 'Three'].map((word, i): [number, number] => [before.indexOf(word), i + 1])
  const after = before.replace('€8.20', '€13.20 a day').replace('Three has', 'The third has')
  expect(movedStarts(starts, before, after)).toEqual([
    ...[['One', 1] as const, ['Two', 2] as const].map(([word, page]) => [after.indexOf(word), page]),
    [after.indexOf('The third'), 3],
  ])
})
