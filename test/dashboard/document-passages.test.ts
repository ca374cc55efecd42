import { expect, test } from 'vitest'
import { axis } from '../support/axis.ts'
import { inProcess, listOf, setColumns, write } from './document-rows.ts'
import { useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

/** The text on the left, with its passages: `[numbers, text]`. */
function stretchesIn(html: string): [string, string][] {
  const pane = html.split('aria-label="Text">')[1]!.split('</div>')[0]!
  return [...pane.matchAll(/<span data-of="([^"]+)">([^<]*)<\/span>/g)].map(([, of, text]) => [of!, text!])
}

function cardOf(html: string, number: number): string {
  return html.split(`<li id="passage-${number}"`)[1]?.split('</li>')[0] ?? ''
}

const section = (i: number) =>
  `## Room ${i}\n\n${Array.from({ length: 60 }, (_, j) => `Sentence ${j} of room ${i}.`).join(' ')}\n\n`

test('the stretches of a document’s passages are its text, and overlaps belong to two', async () => {
  const tenant = await signedIn()
  const text = section(1) + section(2)
  const id = await write(tenant, 'Rooms', text)
  await stand.deliver()
  const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
  const stretches = stretchesIn(html)
  expect(stretches.map(([, text]) => text).join('')).toBe(text)
  expect(stretches.some(([of]) => of.includes(' '))).toBe(true)
  const { body } = await tenant.call('GET', `${tenant.knowledgeBase}/${id}/chunks`)
  for (const { chunk_index, metadata } of body.data) {
    const own = stretches.filter(([of]) => of.split(' ').includes(`${chunk_index + 1}`)).map(([, text]) => text)
    expect(own.join('')).toBe(text.slice(metadata.start, metadata.end))
  }
})

test('a passage shows what it repeats from further up, and below which headings it stands', async () => {
  const tenant = await signedIn()
  const rows = Array.from({ length: 60 }, (_, i) => `| Part ${i} of the machine | ${i}.50 EUR |`)
  const id = await write(tenant, 'Parts', ['# Parts', '', '| Part | Price |', '|---|---|', ...rows].join('\n'))
  await stand.deliver()
  const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
  expect(cardOf(html, 2)).toMatch(/<span class="repeated"[^>]*>\| Part \| Price \|\n\|---\|---\|\n<\/span>\| Part \d+/)
  expect(cardOf(html, 2)).toContain('<p class="headings">Parts</p>')
  expect(cardOf(html, 1)).not.toContain('repeated')
})

test('a long document has pages of passages, and a link to one shows the page that it is on', async () => {
  const tenant = await signedIn()
  const id = await write(
    tenant,
    'Rooms',
    Array.from({ length: 45 }, (_, i) => `# Room ${i}\n\nIt is blue.`).join('\n\n'),
  )
  await stand.deliver()
  const page = `${listOf(tenant)}/${id}`
  const numbersOn = async (query: string) =>
    [...(await tenant.browser.get(`${page}${query}`)).html.matchAll(/id="passage-(\d+)"/g)].map(([, n]) => Number(n))
  const first = await numbersOn('')
  expect(first).toEqual(Array.from({ length: 10 }, (_, i) => i + 1))
  expect((await numbersOn('?from=21'))[0]).toBe(21)
  expect((await numbersOn('?passage=45'))[0]).toBe(41)
  const { html, text } = await tenant.browser.get(`${page}?from=21`)
  expect(text).toContain('These are 21 to 30 of 45.')
  expect(html).toContain(`<a href="${page}?from=11">`)
  expect(html).toContain(`<a href="${page}?from=31">`)
  expect(await numbersOn('?from=nonsense')).toEqual(first)
})

test('a document shows how its text begins until there are passages of it', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Hours', 'We open at 9.')
  const { html, text } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
  expect(text).toContain('We open at 9.')
  expect(html).not.toContain('passage-1')
  const empty = await write(tenant, 'Made elsewhere')
  expect((await tenant.browser.get(`${listOf(tenant)}/${empty}`)).text).toContain('There is no text yet.')
})

test('passages that a client has made stand without a text beside them, and it is said which are not found', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Made elsewhere')
  const path = `${tenant.knowledgeBase}/${id}`
  const chunks = [
    { content: 'Found', chunk_index: 0, embedding: axis(0), metadata: { start: 0, end: 99, headings: 7 } },
    { content: 'Unfound', chunk_index: 4 },
  ]
  await tenant.call('POST', `${path}/chunks`, { chunks })
  await tenant.call('PATCH', path, { status: 'completed' })
  const { html, text } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
  expect(html).not.toContain('aria-label="Text"')
  expect(cardOf(html, 5)).toContain('Unfound')
  expect(text).toContain('Search finds 1 of 2 passages')
})

test('while it is in work the page asks for changes, and gets nothing until there are some', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Hours', 'We open at 9.')
  const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
  expect(html).toContain('hx-trigger="documents-changed from:body, every 2s"')
  const [, address] = /id="document"[^>]* hx-get="([^"]+)"/.exec(html)!
  const ask = () => tenant.browser.part(address!.replaceAll('&amp;', '&'))
  expect(await ask()).toMatchObject({ status: 204, html: '' })
  await setColumns(stand, id, inProcess)
  expect((await ask()).text).toContain('Being prepared')
  await setColumns(stand, id, `status = 'pending', lease_token = null, lease_expires_at = null`)
  await stand.deliver()
  const settled = await ask()
  expect(settled.text).toContain('Ready')
  expect(settled.html).toContain('id="passage-1"')
  expect(settled.html).toContain('hx-trigger="documents-changed from:body"')
})
