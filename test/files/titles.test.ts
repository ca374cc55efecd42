import { describe, expect, test } from 'vitest'
import { readFile } from '../../functions/extraction/text/read-file.ts'
import { createFile, newExtractor, type TestFile } from '../support/documents/files.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { workMessage } from '../support/stand/worker.ts'
import { fixture } from './fixture.ts'
import { docxOf, paragraph } from './office-files.ts'
import { pagePdf, shown } from './pdf-of.ts'

const stand = useStand()

const title = async (file: Buffer | string, fileName: string) => (await readFile(Buffer.from(file), fileName)).title
const properties = (text: string) => ({
  name: 'docProps/core.xml',
  content: `<?xml version="1.0"?><cp:coreProperties><dc:title>${text}</dc:title></cp:coreProperties>`,
})
const page = (head: string, body = '<p>Open on Sundays</p>') => `<!doctype html><html><head>${head}</head><body>${body}`

describe('a file’s own title', () => {
  const named = 'Fjord Cycles: price list'
  test.each([
    ...['pdf', 'impress.pdf', 'docx', 'doc', 'pptx', 'odt', 'md', 'epub', 'eml'].map(
      (end) => [`price-list.${end}`, named] as const,
    ),
    ...['xlsx', 'ods', 'csv', 'txt'].map((end) => [`price-list.${end}`, undefined] as const),
    ['flyer.pdf', 'Café Hafen'] as const,
    ['price-list.html', 'Fjord Cycles'] as const,
  ])('of %s is %s', async (name, expected) => {
    expect(await title(fixture(name), name)).toBe(expected)
  })

  test('is read from the properties of an office document, unescaped and on one line', async () => {
    const named = [properties('Rental &amp;\n repair &#8211; 2026')]
    expect(await title(docxOf(paragraph('Hello'), named), 'a.docx')).toBe('Rental & repair – 2026')
  })

  test('is read from the information of a PDF', async () => {
    const text = shown('A day with the bike costs 20 euros.')
    expect(await title(pagePdf(text, { trailer: '/Info << /Title (Bike rental) >>' }), 'a.pdf')).toBe('Bike rental')
    for (const junk of ['menu.indd', '\\(anonymous\\)', '\\(unspecified\\)', 'untitled'])
      expect(await title(pagePdf(text, { trailer: `/Info << /Title (${junk}) >>` }), 'a.pdf')).toBeUndefined()
  })

  test('of a page without one is its first heading', async () => {
    expect(await title(page('', '<p>Hello</p><h1>Bike <b>rental</b></h1>'), 'a.html')).toBe('Bike rental')
    expect(await title(page('<title>Home</title>', '<h1>Bike rental</h1>'), 'a.html')).toBe('Bike rental')
  })

  test('of Markdown is its first heading, without its marks', async () => {
    expect(await title('\n# The *big* [price list](https://a.example/) #\n\n## Repairs\n', 'a.md')).toBe(
      'The big price list',
    )
    expect(await title('Price list\n==========\n\nOpen on Sundays\n', 'a.md')).toBe('Price list')
  })

  test.each([
    ...'Microsoft Word - prices.doc|prices_final_v2|brochure.indd|Untitled|Untitled 2|Dokument1'.split('|'),
    ...'PowerPoint Presentation|12/03/2026|C:\\Users\\Ann\\prices|https://example.com/prices| '.split('|'),
    ...'(anonymous)|[untitled]|Untitled document|Unbenanntes Dokument|Document sans titre|Scanned Image'.split('|'),
    ...'Untitled design|Book1|Tabelle1|Layout 1|New Microsoft Word Document|Présentation1|null'.split('|'),
    ...'Neues Textdokument|tmp4f2a|~WRL0001|3f2504e0-4f89-11d3-9a0c-0305e82c3301|about:blank'.split('|'),
    ...['þÿ\u0000P\u0000r', 'a'.repeat(201)],
  ])('is never “%s”', async (junk) => {
    expect(await title(docxOf(paragraph('Hello'), [properties(junk)]), 'a.docx')).toBeUndefined()
    expect(await title(page(`<title>${junk}</title>`), 'a.html')).toBeUndefined()
  })
})

test.each(['Tempelhof Café', 'Temperatures 2026', 'New menu', 'Our document archive', 'Design classics', 'Faded bead'])(
  'a title that only resembles such names is kept: %s',
  async (named) => {
    expect(await title(docxOf(paragraph('Hello'), [properties(named)]), 'a.docx')).toBe(named)
  },
)

describe('the title of a document', () => {
  const file = docxOf(paragraph('A day with the bike costs 20 euros.'), [properties('Bike rental 2026')])
  const reading = { extractText: (file: Buffer, name: string) => readFile(file, name) }
  const get = async (tenant: Tenant, { path }: TestFile) => await tenant.call('GET', path)
  async function created(options: { title?: string | undefined } = { title: undefined }) {
    const tenant = await stand.tenant()
    return { tenant, document: await createFile(stand, tenant, { fileName: 'brochure-30mb.docx', ...options }) }
  }

  test('is first the file’s name, then the file’s own title, which search finds and shows', async () => {
    const { tenant, document } = await created()
    expect((await get(tenant, document)).body.title).toBe('brochure-30mb')
    await newExtractor(stand, reading).upload(document, file)
    await stand.deliver()
    expect((await get(tenant, document)).body).toMatchObject({ title: 'Bike rental 2026', status: 'completed' })
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'rental', mode: 'keyword' })
    expect(body.data[0]).toMatchObject({ document_title: 'Bike rental 2026' })
  })

  test('is the client’s if it is given with the file, or while that is read', async () => {
    const given = await created({ title: 'brochure-30mb' })
    await newExtractor(stand, reading).upload(given.document, file)
    expect((await get(given.tenant, given.document)).body.title).toBe('brochure-30mb')

    const { tenant, document } = await created()
    const extractor = newExtractor(stand, {
      async extractText(...args) {
        const { body } = await tenant.call('PATCH', document.path, { title: 'Our brochure' })
        expect(body).toMatchObject({ title: 'Our brochure', status: 'processing' })
        return await readFile(args[0], args[1])
      },
    })
    await extractor.upload(document, file)
    expect((await get(tenant, document)).body).toMatchObject({ title: 'Our brochure', status: 'pending' })
    await tenant.call('PATCH', document.path, { status: 'pending' })
    await extractor.deliver(workMessage(document))
    expect((await get(tenant, document)).body.title).toBe('Our brochure')
  })

  test('from the file changes the tag for If-None-Match, but not for If-Match', async () => {
    const { tenant, document } = await created()
    const { etag } = (await get(tenant, document)).headers
    await newExtractor(stand, reading).upload(document, file)
    expect((await tenant.call('GET', document.path, undefined, { 'if-none-match': etag! })).status).toBe(200)
    const patched = await tenant.call('PATCH', document.path, { title: 'Ours' }, { 'if-match': etag! })
    expect(patched).toMatchObject({ status: 200, body: { title: 'Ours' } })
    const late = await tenant.call('PATCH', document.path, { title: 'Theirs' }, { 'if-match': etag! })
    expect(late.status).toBe(412)
  })

  test('stays the file’s name if the lease was lost, or the file has no title', async () => {
    const { tenant, document } = await created()
    const extractor = newExtractor(stand, {
      async extractText(...args) {
        await tenant.call('PATCH', document.path, { content: 'A text.' })
        return await readFile(args[0], args[1])
      },
    })
    await extractor.upload(document, file)
    expect((await get(tenant, document)).body).toMatchObject({ title: 'brochure-30mb', content: 'A text.' })
    const untitled = await created()
    await newExtractor(stand, reading).upload(untitled.document, docxOf(paragraph('Hello')))
    expect((await get(untitled.tenant, untitled.document)).body.title).toBe('brochure-30mb')
  })
})
