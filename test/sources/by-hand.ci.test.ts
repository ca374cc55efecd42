import { expect, test } from 'vitest'
import { leftAlone } from '../../functions/crawler/apply.ts'
import { ofEditedPage } from '../../functions/dashboard/documents/edits.ts'
import { useDashboard } from '../dashboard/support.ts'
import { crawled, inn, prices, sourceOf } from './source-of.ts'
import { page, website } from './website.ts'

const { signedIn, stand } = useDashboard()

test('a page edited or deleted by hand is listed as such, and following it again restores its text', async () => {
  const site = await website(inn())
  const tenant = await signedIn()
  const { browser, agentId } = tenant
  const { deliver, documents, id, call, knowledgeBase } = await sourceOf(stand, site.url, {}, tenant)
  await deliver()
  const before = await documents()
  const edit = `/dashboard/agents/${agentId}/documents/${before['/prices'].id}/edit`
  expect((await browser.get(edit)).text).toContain(ofEditedPage)
  const saved = await browser.submit(edit, { title: 'Prices', content: 'Ask us.'.repeat(500), edits: '1' })
  expect(saved.text).toContain('“Prices” was saved. It no longer changes with its website')
  expect((await browser.get(edit)).text).not.toContain(ofEditedPage)
  await call('DELETE', `${knowledgeBase}/${before['/parking'].id}`)
  site.pages['/prices'] = page('Prices', prices.replace('35', '38'), '/')
  await deliver()
  const source = `/dashboard/agents/${agentId}/sources/${id}`
  const { text } = await browser.get(source)
  for (const said of ['Edited by hand', 'Deleted by hand', 'Follow the website again']) expect(text).toContain(said)
  for (const path of ['/prices', '/parking'])
    expect((await browser.submit(`${source}/follow`, { address: site.url + path })).text).toContain(
      'The page is followed again. Its text is restored with this look.',
    )
  await deliver()
  const after = await documents()
  expect(after['/prices']).toMatchObject({ id: before['/prices'].id, source_id: id, source_type: 'txt' })
  expect(after['/prices'].content).toContain('38 euros')
  expect(after['/parking'].content).toContain('22 in the evening')
  expect((await browser.get(source)).text).not.toContain('Follow the website again')
})

test('a text that a person saves between the crawl’s reading and storing of the page stays', async () => {
  const { site, refresh, documents, pages, call, knowledgeBase } = await crawled(stand)
  const { id } = (await documents())['/prices']
  site.pages['/prices'] = page('Prices', prices.replace('35', '38'), '/')
  let edits = 0
  site.onRequest = async (path) => {
    // It is the last page: the crawl has read all others.
    if (path === '/parking' && edits++ === 0) await call('PATCH', `${knowledgeBase}/${id}`, { content: 'Ask us.' })
  }
  for (let look = 0; look < 2; look++) expect(await refresh()).toMatchObject({ status: 'ready' })
  expect(edits).toBeGreaterThan(0)
  expect((await documents())['/prices']).toMatchObject({ id, content: 'Ask us.', source_id: null })
  expect((await pages())['/prices'].left_out).toBe(leftAlone)
})
