import { expect, test } from 'vitest'
import { listOf, setColumns, titlesIn, write } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const selected = (tenant: SignedIn) => `${listOf(tenant)}/selected`
const choose = (tenant: SignedIn, ids: string[]) =>
  tenant.browser.get(
    `${selected(tenant)}?${new URLSearchParams(ids.map((id) => ['document', id] as [string, string]))}`,
  )
const documentsOf = (html: string) => [
  ...new Set([...html.matchAll(/name="document" value="([^"]+\.\d+)"/g)].map(([, value]) => value!)),
]
const listed = async (tenant: SignedIn) => titlesIn((await tenant.browser.get(listOf(tenant))).html)
const shown = async (tenant: SignedIn, id: string) =>
  (await tenant.call('GET', `${tenant.knowledgeBase}/${id}?exclude=content`)).body

async function three() {
  const tenant = await signedIn()
  const ids = [await write(tenant, 'A', 'one'), await write(tenant, 'B', 'two'), await write(tenant, 'C', 'three')]
  await stand.deliver()
  return { tenant, ids: ids as [string, string, string] }
}

test('selected documents are deleted together, but one that somebody has edited since is left and named', async () => {
  const { tenant, ids } = await three()
  const { html } = await choose(tenant, ids.slice(1))
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${ids[2]}`, { title: 'C edited' })
  const done = await tenant.browser.submit(selected(tenant), { action: 'delete', document: documentsOf(html) })
  expect(done.text).toContain('1 document is in the trash.')
  expect(done.text).toContain('because somebody else has changed or deleted it: “C edited”')
  expect(await listed(tenant)).toEqual(['C edited', 'A'])
})

test('selected documents get the same days, and only days in order', async () => {
  const { tenant, ids } = await three()
  const document = documentsOf((await choose(tenant, ids.slice(0, 2))).html)
  const days = { from: '2199-12-20', until: '2199-01-07' }
  const refused = await tenant.browser.post(selected(tenant), { action: 'dates', document, ...days })
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('The last day is before the first.') })
  expect(documentsOf(refused.html)).toEqual(document)
  const inOrder = { from: '2199-01-07', until: '2199-12-20' }
  const done = await tenant.browser.submit(selected(tenant), { action: 'dates', document, ...inOrder })
  expect(done.text).toContain('The days of 2 documents were set.')
  for (const id of ids.slice(0, 2)) expect((await shown(tenant, id)).valid_from).toMatch(/^2199-01-0[67]T/)
  expect((await shown(tenant, ids[2])).valid_from).toBeNull()
})

test('of selected documents those that failed are tried again', async () => {
  const { tenant, ids } = await three()
  await setColumns(stand, ids[0], `status = 'error', error_message = 'It broke.'`)
  const { html, text } = await choose(tenant, ids)
  expect(text).toContain('It broke.')
  const done = await tenant.browser.submit(selected(tenant), { action: 'retry', document: documentsOf(html) })
  expect(done.text).toContain('1 document will be processed again.')
  expect((await shown(tenant, ids[0])).status).toBe('pending')
  expect((await shown(tenant, ids[1])).status).toBe('completed')
})

test('documents of another organization are neither shown nor changed', async () => {
  const [{ tenant, ids }, other] = [await three(), await signedIn()]
  expect((await choose(other, ids)).text).toContain('No document is selected')
  const document = documentsOf((await choose(tenant, ids)).html)
  const done = await other.browser.submit(selected(other), { action: 'delete', document })
  expect(done.text).toContain('0 documents are in the trash.')
  expect(await listed(tenant)).toHaveLength(3)
  const forged = { action: 'delete', document: ['no id.1'] }
  expect((await tenant.browser.post(selected(tenant), forged)).status).toBe(400)
})

test('who may only read selects nothing', async () => {
  const tenant = await signedIn(['kb:read'])
  expect((await tenant.browser.get(listOf(tenant))).html).not.toContain('checkbox')
  expect((await choose(tenant, [])).status).toBe(403)
})
