import { expect, test } from 'vitest'
import { listOf, setColumns, titlesIn, write } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const selected = (tenant: SignedIn) => `${listOf(tenant)}/selected`
const boxesIn = (html: string) => [...html.matchAll(/name="document" value="([^"]+\.\d+)"/g)].map(([, value]) => value!)
const boxesOf = async (tenant: SignedIn) => boxesIn((await tenant.browser.get(listOf(tenant))).html)
const listed = async (tenant: SignedIn) => titlesIn((await tenant.browser.get(listOf(tenant))).html)
const shown = async (tenant: SignedIn, id: string) =>
  (await tenant.call('GET', `${tenant.knowledgeBase}/${id}?exclude=content`)).body

async function three() {
  const tenant = await signedIn()
  const ids = [await write(tenant, 'A', 'one'), await write(tenant, 'B', 'two'), await write(tenant, 'C', 'three')]
  await stand.deliver()
  return { tenant, ids: ids as [string, string, string] }
}

test('selected documents of the organization are deleted together, but one that somebody has edited since is left and named', async () => {
  const [{ tenant, ids }, other] = [await three(), await signedIn()]
  const document = (await boxesOf(tenant)).slice(0, 2)
  const foreign = await other.browser.submit(selected(other), { action: 'delete', document })
  expect(foreign.text).toContain('0 documents are in the trash.')
  expect(await listed(tenant)).toHaveLength(3)
  const forged = { action: 'delete', document: ['no id.1'] }
  expect((await tenant.browser.post(selected(tenant), forged)).status).toBe(400)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${ids[2]}`, { title: 'C edited' })
  const done = await tenant.browser.submit(selected(tenant), { action: 'delete', document })
  expect(done.text).toContain('1 document is in the trash.')
  expect(done.text).toContain('because somebody else has changed or deleted it: “C edited”')
  expect(await listed(tenant)).toEqual(['C edited', 'A'])
})

test('the failed ones among selected documents are tried again, by a button that appears only if there are any', async () => {
  const { tenant, ids } = await three()
  const button = 'aria-label="Try again: the selected documents"'
  expect((await tenant.browser.get(listOf(tenant))).html).not.toContain(button)
  await setColumns(stand, ids[0], `status = 'error', error_message = 'It broke.'`)
  const { html } = await tenant.browser.get(listOf(tenant))
  expect(html).toContain(button)
  const done = await tenant.browser.submit(selected(tenant), { action: 'retry', document: boxesIn(html) })
  expect(done.text).toContain('1 document will be processed again.')
  expect((await shown(tenant, ids[0])).status).toBe('pending')
  expect((await shown(tenant, ids[1])).status).toBe('completed')
})
