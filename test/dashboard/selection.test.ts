import { expect, test } from 'vitest'
import { listOf, titlesIn, write } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const selected = (tenant: SignedIn) => `${listOf(tenant)}/selected`
const boxesIn = (html: string) => [...html.matchAll(/name="document" value="([^"]+\.\d+)"/g)].map(([, value]) => value!)
const boxesOf = async (tenant: SignedIn) => boxesIn((await tenant.browser.get(listOf(tenant))).html)
const listed = async (tenant: SignedIn) => titlesIn((await tenant.browser.get(listOf(tenant))).html)

async function three() {
  const tenant = await signedIn()
  const ids = [await write(tenant, 'A', 'one'), await write(tenant, 'B', 'two'), await write(tenant, 'C', 'three')]
  await stand.deliver()
  return { tenant, ids: ids as [string, string, string] }
}

test('selected documents of the organization are deleted together, but one that somebody has edited since is left and named', async () => {
  const [{ tenant, ids }, other] = [await three(), await signedIn()]
  const document = (await boxesOf(tenant)).slice(0, 2)
  const foreign = await other.browser.submit(selected(other), { document })
  expect(foreign.text).toContain('0 documents are in the trash.')
  expect(await listed(tenant)).toHaveLength(3)
  const forged = { document: ['no id.1'] }
  expect((await tenant.browser.post(selected(tenant), forged)).status).toBe(400)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${ids[2]}`, { title: 'C edited' })
  const done = await tenant.browser.submit(selected(tenant), { document })
  expect(done.text).toContain('1 document is in the trash.')
  expect(done.text).toContain('Not deleted: “C edited”, which somebody has changed.')
  expect(await listed(tenant)).toEqual(['C edited', 'A'])
})
