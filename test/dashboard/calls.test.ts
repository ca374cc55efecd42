import { expect, test } from 'vitest'
import { makeTrashedCall } from './routes.ts'
import { useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const path = '/dashboard/settings/calls'

const callOf = (id: string) => stand.db.selectFrom('calls').selectAll().where('id', '=', id).executeTakeFirst()

test('a deleted call is restored, which is confirmed once, and then neither restored nor deleted; another is deleted permanently', async () => {
  const { browser, ...tenant } = await signedIn()
  expect((await browser.get(path)).text).toContain('Completed calls come here if “Delete completed calls” is on')
  const [id, other] = [await makeTrashedCall(stand.db, tenant), await makeTrashedCall(stand.db, tenant)]
  const { html, text } = await browser.get(path)
  expect(html).toContain(`${path}/${id}/restore`)
  expect(text).toContain('It will be deleted immediately, for everyone. This can’t be undone.')
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
  expect((await browser.submit(`${path}/${other}/delete`)).text).toContain('The call was deleted permanently.')
  expect(await callOf(other)).toBeUndefined()
})

test('the trash shows every call once, most recently deleted first, in pages', async () => {
  const { browser, ...tenant } = await signedIn()
  const ids: string[] = []
  for (let minutes = 0; minutes < 52; minutes++) ids.push(await makeTrashedCall(stand.db, tenant, minutes))
  const shown = (html: string) => [...html.matchAll(/calls\/([\w-]{36})\/restore/g)].map(([, id]) => id)
  const first = await browser.get(path)
  const [, older] = /href="(\/dashboard\/settings\/calls\?after=[^"]+)"/.exec(first.html)!
  const second = await browser.get(older!)
  expect([...shown(first.html), ...shown(second.html)]).toEqual(ids)
  expect(second.html).not.toContain('?after=')
  expect((await browser.get(`${older}x`)).status).toBe(400)
})
