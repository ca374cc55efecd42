import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { formWith, listOf, titlesIn, write } from './document-rows.ts'
import { makeWebsite } from './routes.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const trashOf = ({ agentId }: SignedIn) => `/dashboard/agents/${agentId}/trash`
const discard = ({ call, knowledgeBase }: SignedIn, id: string) => call('DELETE', `${knowledgeBase}/${id}?trash=true`)
const whatIn = (html: string) => [...html.matchAll(/name="what" value="([^"]+)"/g)].map(([, value]) => value!)

test('the trash is linked from the documents, lists the latest deletions first, and deletes for good with a second tap', async () => {
  const tenant = await signedIn()
  const { browser, agentId } = tenant
  expect((await browser.get(listOf(tenant))).html).toContain(`href="${trashOf(tenant)}"`)
  expect((await browser.get(trashOf(tenant))).text).toContain('The trash is empty')
  const id = await write(tenant, 'Prices', 'text')
  await discard(tenant, id)
  const sourceId = await makeWebsite(stand.db, tenant)
  await browser.submit(`/dashboard/agents/${agentId}/sources/${sourceId}/delete`)
  await sql`update documents set deleted_at = '2026-01-01T12:00:00Z' where id = ${id}`.execute(stand.db)
  const { html, text } = await browser.get(trashOf(tenant))
  expect(text).toMatch(
    /paws-inn\.example Website, 1 page · Deleted just now · gone for good on .* Prices Deleted Jan 1, 2026 · gone for good on Jan 31, 2026/,
  )
  expect([...new Set(whatIn(html))]).toEqual([`website.${sourceId}`, `document.${id}`])
  expect(text).not.toContain('Prices of the inn')
  expect(html).toMatch(
    /<details><summary[^>]*>Delete for good<\/summary><p>You can’t restore it afterwards\.<\/p><form[^>]*\/delete"/,
  )
  for (const what of new Set(whatIn(html))) {
    expect((await browser.submit(`${trashOf(tenant)}/delete`, { what })).text).toContain('It’s gone for good.')
    expect((await browser.submit(`${trashOf(tenant)}/restore`, { what })).text).toContain('It’s gone for good already.')
  }
  const { rows } = await sql`select id from documents where agent_id = ${agentId}`.execute(stand.db)
  expect(rows).toEqual([])
})

test('restoring brings a website’s pages back, or several documents at once, and says so', async () => {
  const tenant = await signedIn()
  const { browser, agentId } = tenant
  const sourceId = await makeWebsite(stand.db, tenant)
  const sources = `/dashboard/agents/${agentId}/sources`
  const gone = await browser.submit(`${sources}/${sourceId}/delete`)
  expect(gone.text).toContain('“paws-inn.example” is in the trash. Undo')
  expect(titlesIn((await browser.get(listOf(tenant))).html)).toEqual([])
  const back = await browser.submit(`${trashOf(tenant)}/restore`, { what: whatIn(gone.html) })
  expect(back.text).toContain('“paws-inn.example” is back.')
  expect(titlesIn((await browser.get(listOf(tenant))).html)).toEqual(['Prices of the inn'])
  for (const title of ['Prices', 'Parking']) await discard(tenant, await write(tenant, title, 'text'))
  const what = [...new Set(whatIn((await browser.get(trashOf(tenant))).html))]
  const all = await browser.submit(`${trashOf(tenant)}/restore`, { what })
  expect(all.text).toMatch(/2 documents are back\./)
})

test('a restoration that fails says why', async () => {
  const tenant = await signedIn()
  const { call, knowledgeBase, browser } = tenant
  const put = () => call('PUT', `${knowledgeBase}/by-external-id/menu`, { title: 'Menu', content: 'Soup.' })
  const { id } = (await put()).body
  await discard(tenant, id)
  await put()
  const what = `document.${id}`
  const taken = await browser.submit(`${trashOf(tenant)}/restore`, { what })
  expect(taken.text).toContain('Something else has taken its place. Delete that first, then restore this.')
  await call('DELETE', `${knowledgeBase}/${id}`)
  expect((await browser.submit(`${trashOf(tenant)}/restore`, { what })).text).toContain('It’s gone for good already.')
})

test('a restoration that would fail a check names it, and is made only on request; of several documents the others come back', async () => {
  const tenant = await signedIn()
  const { call, browser } = tenant
  const restoring = `${trashOf(tenant)}/restore`
  const ids = [await write(tenant, 'Parrot', 'The parrot is called Rosalinde.'), await write(tenant, 'Menu', 'Soup.')]
  await stand.deliver()
  for (const id of ids) await discard(tenant, id)
  const question = { question: 'What is the parrot called?', expects: { nothing: true }, on_failure: 'block' }
  await call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, question)
  const back = await browser.submit(restoring, { what: ids.map((id) => `document.${id}`) })
  expect(back.text).toContain('“Menu” is back. Some stay in the trash, because checks would fail.')
  const what = `document.${ids[0]}`
  const refused = await browser.post(restoring, { what })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('A check expects no answer. Callers would hear “The parrot is called Rosalinde.”')
  const confirmed = await browser.submit(...formWith(refused.html, 'Make the change all the same'))
  expect(confirmed.text).toContain('“Parrot” is back.')
})
