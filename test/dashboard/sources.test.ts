import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ofEditedPage } from '../../functions/dashboard/documents/edits.ts'
import { makeWebsite } from './routes.ts'
import { expectFault, type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()
const inn = 'https://paws-inn.example/'
const listOf = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/sources`
const typed = { url: inn, kind: 'site', include: '', exclude: '', refresh_hours: '24' }

async function stored({ call, agentId }: SignedIn) {
  return (await call('GET', `/v1/agents/${agentId}/sources`)).body.data
}

/** Somebody whose agent has a source, of which one page is a document and one is left out. */
async function guest() {
  const tenant = await signedIn()
  const id = await makeWebsite(stand.db, tenant)
  return { ...tenant, id, page: `${listOf(tenant)}/${id}` }
}

describe('a website', () => {
  test('is added by its address, even without the scheme, as a sitemap by that of one, and up to a limit', async () => {
    const tenant = await signedIn()
    const { browser } = tenant
    expect((await browser.get(listOf(tenant))).text).toContain('No websites yet')
    const added = await browser.submit(`${listOf(tenant)}/new`, { ...typed, url: ' paws-inn.example ' })
    expect(added.text).toContain('The website is being looked at.')
    expect(added.text).toContain('Waiting to be read')
    expect(added.html).toContain('every 3s')
    const expected = { url: inn, kind: 'site', include: [], exclude: [], refresh_hours: 24, status: 'pending' }
    expect(await stored(tenant)).toMatchObject([expected])
    expect((await browser.post(`${listOf(tenant)}/new`, typed)).text).toContain('This website has already been added.')
    expect(await stored(tenant)).toHaveLength(1)
    expect((await browser.get(listOf(tenant))).text).toContain('paws-inn.example Website · 0 pages are documents')
    const paths = { include: ' /rooms \r\n\r\n/prices/*', exclude: '/blog' }
    await browser.submit(`${listOf(tenant)}/new`, { ...typed, url: `${inn}sitemap.xml`, ...paths })
    const sitemap = { kind: 'sitemap', include: ['/rooms', '/prices/*'], exclude: ['/blog'] }
    expect(await stored(tenant)).toMatchObject([sitemap, expected])
    await sql`insert into sources (organization_id, id, agent_id, url, address, kind, refresh_hours)
      select ${tenant.organizationId}, gen_random_uuid(), ${tenant.agentId}, ${inn} || i, ${inn} || i, 'site', 24
      from generate_series(1, 18) i`.execute(stand.db)
    const refused = await browser.post(`${listOf(tenant)}/new`, { ...typed, url: `${inn}blog` })
    expectFault(refused, 'url', 'An organization can have at most 20 sources. Delete a source first.')
  })

  test('is changed, and crawled again on request or if its paths change', async () => {
    const tenant = await guest()
    const { browser, page } = tenant
    expect((await browser.get(`${page}/edit`)).html).toContain('value="24"')
    await browser.submit(`${page}/edit`, { include: '', exclude: '', refresh_hours: '48' })
    expect(await stored(tenant)).toMatchObject([{ refresh_hours: 48, status: 'ready' }])
    expect((await browser.submit(`${page}/refresh`)).text).toContain('Waiting to be read')
    expect(await stored(tenant)).toMatchObject([{ status: 'pending' }])
    await sql`update sources set status = 'ready' where agent_id = ${tenant.agentId}`.execute(stand.db)
    await browser.submit(`${page}/edit`, { include: '', exclude: '/blog/*', refresh_hours: '48' })
    expect(await stored(tenant)).toMatchObject([{ exclude: ['/blog/*'], status: 'pending' }])
  })
})

describe('the page of a website', () => {
  test('shows the document of each page, which names it until its text is edited, and why a page is left out', async () => {
    const { agentId, browser, page, id, call, knowledgeBase } = await guest()
    const [document] = (await call('GET', knowledgeBase)).body.data
    const { html, text } = await browser.get(page)
    expect(html).toContain(`<a href="/dashboard/agents/${agentId}/documents/${document.id}">Prices of the inn</a>`)
    expect(text).toMatch(/basket · looked at 1 minute ago Left out: It asks not to be listed/)
    expect(html).not.toContain('every 3s')
    await sql`update source_pages set looked_at = now(), gone_since = now() where source_id = ${id}`.execute(stand.db)
    expect((await browser.get(page)).text).toContain(
      'This page wasn’t found on the website. If it’s still missing a day later, its document is deleted. First missed',
    )
    const leftOut = (await browser.get(`${page}?show=left_out`)).text
    expect([leftOut.includes('basket'), leftOut.includes('Prices of the inn')]).toEqual([true, false])
    expect((await browser.get(`${page}?after=${inn}c%00%0a`)).text).not.toContain('basket')

    const address = `/dashboard/agents/${agentId}/documents/${document.id}`
    const shown = await browser.get(address)
    expect(shown.html).toContain(`<a href="${page}">paws-inn.example</a>`)
    for (const part of [ofEditedPage, 'Web page']) expect(shown.text).toContain(part)
    await browser.submit(`${address}/edit`, { title: 'Prices', content: 'A night costs 40 euros.', edits: '1' })
    expect((await call('GET', `${knowledgeBase}/${document.id}`)).body.source_id).toBeNull()
    expect((await browser.get(address)).html).not.toContain(`<a href="${page}">`)
  })

  test('shows the progress of a crawl, also as a part of the page, and what to do after an error', async () => {
    const { browser, page, id } = await guest()
    await sql`update sources set resume_at = now(), crawl = 2 where id = ${id}`.execute(stand.db)
    await sql`update source_pages set crawl = 2, task = case when left_out is null then 'fetch' end
      where source_id = ${id}`.execute(stand.db)
    const { html, text } = await browser.part(page)
    expect(html).toMatch(/^<section id="source"/)
    expect(text).toContain('1 of 2 pages looked at so far')
    expect(html).toContain('every 3s')
    await sql`update sources set resume_at = null, status = 'error', error_message = 'It is <b>down</b>'
      where id = ${id}`.execute(stand.db)
    const failed = await browser.get(page)
    expect(failed.html).toContain('It is &lt;b&gt;down&lt;/b&gt;.')
    expect(failed.text).toContain(
      `Its documents stay as they were, and callers still get answers from them. Cuecard will look at it again automatically. Open the address in a browser: if it works there, choose “Look now”; if it’s wrong or has moved, delete this website and add the right address.`,
    )
    expect((await browser.get(page.replace(/\/[^/]+$/, ''))).text).toContain('Couldn’t be read')
  })
})

test('deleting a website deletes its documents, unless a blocking golden question needs one', async () => {
  const tenant = await guest()
  const { agentId, browser, page, call, knowledgeBase } = tenant
  await sql`update documents set resend_at = now() where agent_id = ${agentId}`.execute(stand.db)
  await stand.sweep()
  await stand.deliver()
  const question = { question: 'What does a night cost?', expects: { words: 'costs 35 euros' }, on_failure: 'block' }
  expect((await call('POST', `/v1/agents/${agentId}/golden-questions`, question)).body.last_result.passed).toBe(true)
  await call('POST', knowledgeBase, { title: 'Own', content: 'Not of the website.' })
  const refused = await browser.post(`${page}/delete`)
  expect(refused.status).toBe(409)
  expect(refused.text).toContain(question.question)
  expect(refused.html).toContain(`href="${page}"`)
  expect(await stored(tenant)).toHaveLength(1)
  const deleted = await browser.submit(`${page}/delete?ignore_golden_questions=true`)
  expect(deleted.text).toContain('is in the trash.')
  expect(await stored(tenant)).toEqual([])
  expect((await call('GET', knowledgeBase)).body.data).toMatchObject([{ title: 'Own' }])
  expect((await browser.get(page)).status).toBe(404)
})
