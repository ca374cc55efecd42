import { expect, test } from 'vitest'
import { axis } from '../support/provider/axis.ts'
import { inProcess, listOf, pageOf, serve, setColumns, write } from './document-rows.ts'
import { plain, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

test('bold words and links are shown without their signs', async () => {
  const tenant = await signedIn()
  const text =
    'We are **closed** on Sunday. [Book online](https://inn.example/book) for **two [guests](/g)**, 2 ** 3, or ![a map](map.png).'
  const id = await serve(stand, tenant, 'Hours', text)
  const { html } = await tenant.browser.get(pageOf(tenant, id))
  expect(html).toContain(
    'We are <b>closed</b> on Sunday. <a href="https://inn.example/book" rel="noreferrer">Book online</a> for <b>two [guests](/g)</b>, 2 ** 3, or ![a map](map.png).',
  )
})

test('a table is shown as a table, even if a page begins within it', async () => {
  const tenant = await signedIn()
  const rows = Array.from({ length: 400 }, (_, i) => `| Part ${i} of the machine | ${i}.50 EUR | |`)
  const id = await serve(stand, tenant, 'Parts', `# Parts\n\n| Part | Price | |\n|---|---|---|\n${rows.join('\n')}`)
  for (const query of ['', '?passage=11']) {
    const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}${query}`)
    expect(html.replaceAll(/<head>.*<\/head>/gs, '')).not.toContain('|')
    expect(html).toContain('<tr><th scope="col">Part</th><th scope="col">Price</th><td></td></tr>')
    expect(html).toMatch(/<tr><td>Part \d+ of the machine<\/td><td>\d+\.50 EUR<\/td><td><\/td><\/tr>/)
  }
})

test('a document that contradicts another shows both texts side by side, with links to the passages', async () => {
  const tenant = await signedIn()
  const list = await serve(stand, tenant, 'Price <list>', '| Service | Price |\n|---|---|\n| Nail trim | $18 |')
  const id = await serve(stand, tenant, 'Nails', '# Trims\n\nA nail trim costs $25.')
  const { html, text } = await tenant.browser.get(pageOf(tenant, id))
  expect(text).toContain('1 statement contradicts another document.')
  expect(html).toMatch(/>A nail trim costs \$25\.<.*?passage=1#passage-1">this document</s)
  expect(html).toContain(`<a href="${listOf(tenant)}/${list}?passage=1#passage-1">Price &lt;list&gt;</a>`)
  expect((await tenant.browser.get(listOf(tenant))).text).toContain('1 statement contradicts another document.')
})

test('a long document has pages of passages, and a link to one shows the page that it is on', async () => {
  const tenant = await signedIn()
  const rooms = Array.from({ length: 45 }, (_, i) => `# Room ${i}\n\nIt is blue.`)
  const id = await serve(stand, tenant, 'Rooms', rooms.join('\n\n'))
  const page = `${listOf(tenant)}/${id}`
  const numbersOn = async (query: string) =>
    [...(await tenant.browser.get(`${page}${query}`)).html.matchAll(/id="passage-(\d+)"/g)].map(([, n]) => Number(n))
  const first = await numbersOn('')
  expect(first).toEqual(Array.from({ length: 10 }, (_, i) => i + 1))
  expect((await numbersOn('?from=21'))[0]).toBe(21)
  expect((await numbersOn('?passage=45'))[0]).toBe(41)
  const { html, text } = await tenant.browser.get(`${page}?from=21`)
  expect(text).toContain('Parts 21 to 30 of 45.')
  expect(html).toContain(`<a href="${page}?from=11">`)
  expect(html).toContain(`<a href="${page}?from=31">`)
  expect(await numbersOn('?from=nonsense')).toEqual(first)
})

test('a client’s passages are shown, with a note on those that search does not find', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Made elsewhere')
  const path = `${tenant.knowledgeBase}/${id}`
  const chunks = [
    { content: 'Found', chunk_index: 0, embedding: axis(0), metadata: { start: 0, end: 99, headings: 7 } },
    { content: 'Unfound', chunk_index: 4 },
  ]
  await tenant.call('POST', `${path}/chunks`, { chunks })
  await tenant.call('PATCH', path, { status: 'completed' })
  const { html, text } = await tenant.browser.get(pageOf(tenant, id))
  expect(html.split('<li id="passage-5"')[1]).toContain('Unfound')
  expect(text).toContain('Search can find 1 of 2 parts')
})

test('the page of a document in processing shows how its text begins, asks for changes, and gets nothing until there are some', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Hours', 'We open at 9.')
  const empty = await write(tenant, 'Made elsewhere')
  expect((await tenant.browser.get(pageOf(tenant, empty))).text).toContain('There is no text yet.')
  const { html, text } = await tenant.browser.get(pageOf(tenant, id))
  expect(text).toContain('We open at 9.')
  expect(html).not.toContain('passage-1')
  expect(html).toContain('hx-trigger="documents-changed from:body, every 2s"')
  const [, address] = /id="document"[^>]* hx-get="([^"]+)"/.exec(html)!
  const ask = () => tenant.browser.part(plain(address!))
  expect(await ask()).toMatchObject({ status: 204, html: '' })
  await setColumns(stand, id, inProcess)
  expect((await ask()).text).toContain('Processing')
  await setColumns(stand, id, `status = 'pending', lease_token = null, lease_expires_at = null`)
  await stand.deliver()
  const settled = await ask()
  expect(settled.text).toContain('Ready')
  expect(settled.html).toContain('id="passage-1"')
  expect(settled.html).toContain('hx-trigger="documents-changed from:body"')
})
