import { expect, test } from 'vitest'
import { makeTrashedCall } from './routes.ts'
import { useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const path = '/dashboard/calls'

const callOf = (id: string) => stand.db.selectFrom('calls').selectAll().where('id', '=', id).executeTakeFirst()

test('a deleted call is restored, which is confirmed once, and then neither restored nor deleted', async () => {
  const { browser, ...tenant } = await signedIn()
  const id = await makeTrashedCall(stand.db, tenant)
  expect((await browser.get(path)).html).toContain(`${path}/${id}/restore`)
  const after = await browser.submit(`${path}/${id}/restore`)
  expect(after.text).toContain('The call was restored.')
  expect(after.html).not.toContain(id)
  expect(await callOf(id)).toMatchObject({ deleted_at: null, done_at: expect.any(Date) })
  expect((await browser.get(path)).text).not.toContain('The call was restored.')
  for (const action of ['restore', 'delete'])
    expect((await browser.submit(`${path}/${id}/${action}`)).text).toContain(
      'This call is no longer here: it has already been restored or deleted.',
    )
  expect(await callOf(id)).toBeDefined()
})

test('a deleted call is deleted permanently after a question that says what that means', async () => {
  const { browser, ...tenant } = await signedIn()
  expect((await browser.get(path)).text).toContain('Completed calls come here if “Delete completed calls” is on')
  const id = await makeTrashedCall(stand.db, tenant)
  const asked = await browser.get(path)
  expect(asked.text).toContain('It will be deleted immediately, for everyone. This can’t be undone.')
  expect((await browser.submit(`${path}/${id}/delete`)).text).toContain('The call was deleted permanently.')
  expect(await callOf(id)).toBeUndefined()
})

test('the trash shows every call once, most recently deleted first, in pages', async () => {
  const { browser, ...tenant } = await signedIn()
  const ids: string[] = []
  for (let minutes = 0; minutes < 52; minutes++) ids.push(await makeTrashedCall(stand.db, tenant, minutes))
  const shown = (html: string) => [...html.matchAll(/calls\/([\w-]{36})\/restore/g)].map(([, id]) => id)
  const first = await browser.get(path)
  const [, older] = /href="(\/dashboard\/calls\?after=[^"]+)"/.exec(first.html)!
  const second = await browser.get(older!)
  expect([...shown(first.html), ...shown(second.html)]).toEqual(ids)
  expect(second.html).not.toContain('?after=')
  expect((await browser.get(`${older}x`)).status).toBe(400)
})
