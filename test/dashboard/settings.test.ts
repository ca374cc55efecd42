import { describe, expect, test } from 'vitest'
import { words } from '../../functions/dashboard/words.ts'
import { createKey } from '../../infra/admin/tenants.ts'
import { isWellFormed, permissions } from '../../shared/http/api-keys.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const path = '/dashboard/settings'
const { autoDelete, keys: w, usage } = words.settings

const keysOf = (organizationId: string) =>
  stand.db.selectFrom('api_keys').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute()

const filled = { id: newId, name: 'Vapi', permissions: ['kb:read'], days: '30' }
const newKeyFields = (more: Record<string, string | string[]> = {}) => ({ ...filled, id: newId(), ...more })

test('deleting calls when they are done is turned on and off, and says what that means', async () => {
  const { browser, organizationId } = await signedIn()
  const setting = async () =>
    (
      await stand.db
        .selectFrom('organizations')
        .select('auto_delete_done_calls')
        .where('id', '=', organizationId)
        .execute()
    )[0]
  for (const isOn of [true, false]) {
    const { text } = await browser.submit(`${path}/auto-delete`, { on: `${isOn}` })
    expect(text).toContain(autoDelete.changed[isOn ? 'on' : 'off'])
    expect(text).toContain(isOn ? autoDelete.leadOn : autoDelete.leadOff)
    expect(await setting()).toEqual({ auto_delete_done_calls: isOn })
  }
  expect((await browser.post(`${path}/auto-delete`, { on: 'maybe' })).status).toBe(400)
  expect((await browser.post(`${path}/auto-delete`, {})).status).toBe(400)
})

describe('a key', () => {
  test('is made, shown once, and works', async () => {
    const { browser, organizationId, agentId } = await signedIn()
    const made = await browser.post(`${path}/keys/new`, newKeyFields({ name: '  Voice\tplatform ' }))
    expect([made.status, made.headers['cache-control']]).toEqual([200, 'private, no-store'])
    const [, key = ''] = /<code id="key">(cue_\w+)<\/code>/.exec(made.html) ?? []
    expect(isWellFormed(key)).toBe(true)
    expect((await stand.http('GET', `/v1/agents/${agentId}`, undefined, { 'x-api-key': key })).status).toBe(200)
    expect((await stand.http('GET', '/v1/organization', undefined, { 'x-api-key': key })).status).toBe(403)
    const stored = (await keysOf(organizationId)).at(-1)!
    expect(stored).toMatchObject({ name: 'Voice platform', permissions: ['kb:read'], revoked_at: null })
    const days = (stored.expires_at!.getTime() - stored.created_at.getTime()) / 86_400_000
    expect(days).toBeCloseTo(30, 2)
    const list = await browser.get(path)
    expect(list.text).toContain('Voice platform')
    expect(list.html).not.toContain(key)
  })

  test('is made once, however often its form is sent', async () => {
    const { browser, organizationId } = await signedIn()
    const fields = newKeyFields()
    const [one, other] = await Promise.all([
      browser.post(`${path}/keys/new`, fields),
      browser.post(`${path}/keys/new`, fields),
    ])
    expect([one.status, other.status].toSorted()).toEqual([200, 303])
    expect((await browser.submit(`${path}/keys/new`, fields)).text).toContain(w.madeBefore)
    expect(await keysOf(organizationId)).toHaveLength(2)
  })

  test('that works until it is revoked has no end', async () => {
    const { browser, organizationId } = await signedIn()
    await browser.post(`${path}/keys/new`, newKeyFields({ days: 'never', permissions: [...permissions] }))
    expect((await keysOf(organizationId)).at(-1)).toMatchObject({ expires_at: null, permissions })
  })

  test.each([
    [{ name: ' \t ' }, w.nameMissing],
    [{ name: 'x'.repeat(201) }, w.nameTooLong],
    [{ permissions: [] }, w.permissionMissing],
    [{ permissions: ['everything'] }, w.permissionMissing],
    [{ days: '36500' }, w.expiryMissing],
  ])('is not made of %j: its form says why, and keeps what was typed', async (more, fault) => {
    const { browser, organizationId } = await signedIn()
    const fields = newKeyFields({ name: 'Typed "before"', ...more })
    const { status, text, html } = await browser.post(`${path}/keys/new`, fields)
    expect([status, text]).toEqual([422, expect.stringContaining(fault)])
    expect(html).toMatch(/class="fault"/)
    if (!('name' in more)) expect(html).toContain('value="Typed &quot;before&quot;"')
    expect(await keysOf(organizationId)).toHaveLength(1)
  })

  test('may not do more than the one it is made with', async () => {
    const { browser, organizationId } = await signedIn(['organization:read', 'organization:write'])
    const form = await browser.get(`${path}/keys/new`)
    expect([...form.html.matchAll(/name="permissions" value="([^"]+)"/g)].map(([, value]) => value)).toEqual([
      'organization:read',
      'organization:write',
    ])
    const beyond = newKeyFields({ permissions: ['organization:read', 'kb:read'] })
    expect((await browser.post(`${path}/keys/new`, beyond)).status).toBe(403)
    expect(await keysOf(organizationId)).toHaveLength(1)
  })

  test('does not outlive the one it is made with', async () => {
    const { browser, organizationId } = await signedIn()
    const end = new Date(Date.now() + 3 * 86_400_000)
    await stand.db
      .updateTable('api_keys')
      .set({ expires_at: end })
      .where('organization_id', '=', organizationId)
      .execute()
    expect((await browser.get(`${path}/keys/new`)).text).toContain(w.expiryHint)
    for (const days of ['30', 'never']) {
      await browser.post(`${path}/keys/new`, newKeyFields({ days }))
      expect((await keysOf(organizationId)).at(-1)!.expires_at).toEqual(end)
    }
  })

  const second = (tenant: SignedIn, more = {}) =>
    createKey(stand.db, {
      organizationId: tenant.organizationId as OrganizationId,
      name: 'Second',
      permissions: ['kb:read'],
      ...more,
    })

  test('is revoked after a page that says what stops, and is then listed as such', async () => {
    const mine = await signedIn()
    const { id } = await second(mine)
    const question = await mine.browser.get(`${path}/keys/${id}/revoke`)
    expect(question.text).toContain(w.revokeLead)
    expect(question.text).not.toContain(w.revokeOwn)
    expect(question.text).not.toContain(w.revokeLast)
    const { text, html } = await mine.browser.submit(`${path}/keys/${id}/revoke`)
    expect(text).toContain(w.revoked('Second'))
    expect(text).toContain(w.ended(1))
    expect(text).toContain(w.wasRevoked)
    expect(html).not.toContain(`${id}/revoke`)
    expect((await mine.browser.get(`${path}/keys/${id}/revoke`)).status).toBe(404)
  })

  test('of one’s own is marked, and whoever revokes it is warned and signed out', async () => {
    const mine = await signedIn()
    const [own] = await keysOf(mine.organizationId)
    expect((await mine.browser.get(path)).text).toContain(`test ${w.own}`)
    const { text } = await mine.browser.get(`${path}/keys/${own!.id}/revoke`)
    expect(text).toContain(w.revokeOwn)
    expect(text).toContain(w.revokeLast)
    await second(mine, { permissions: ['organization:write'] })
    expect((await mine.browser.get(`${path}/keys/${own!.id}/revoke`)).text).not.toContain(w.revokeLast)
    const after = await mine.browser.submit(`${path}/keys/${own!.id}/revoke`)
    expect(after).toMatchObject({ status: 303, headers: { location: expect.stringContaining('/dashboard/sign-in') } })
    expect((await mine.browser.get(after.headers.location!)).text).toContain(words.signIn.ended)
  })
})

test('what is used is shown beside its limit', async () => {
  const { browser, call, knowledgeBase, organizationId } = await signedIn()
  await call('POST', knowledgeBase, { title: 'Hours', content: 'Closed on Sunday.' })
  await stand.deliver()
  const { text, html } = await browser.get(path)
  expect(text).toContain(`Agent ${usage.documents(1, 10_000)} · ${usage.chunks(1)}`)
  expect(html).toContain('<progress value="1" max="10000"')
  await stand.db
    .updateTable('documents')
    .set({ file_bytes: 12_300_000 })
    .where('organization_id', '=', organizationId)
    .execute()
  expect((await browser.get(path)).text).toContain(`${usage.chunks(1)} · 12 MB of files`)
})

test('a key that may only look sees no buttons', async () => {
  const { browser } = await signedIn(['organization:read'])
  const { html, text } = await browser.get(path)
  expect(text).toContain(autoDelete.leadOff)
  expect(html.replace(/action="\/dashboard\/sign-out"/, '')).not.toContain('action=')
  expect(html).not.toContain(`${path}/keys`)
})

test('a message that somebody else made up is not shown', async () => {
  const { browser: mine } = await signedIn()
  const { browser: other } = await signedIn()
  await other.post(`${path}/auto-delete`, { on: 'true' })
  const forged = other.jar.get('cuecard_flash')!
  for (const cookie of [forged, 'made-up', Buffer.from('["text",false]').toString('base64url')]) {
    mine.jar.set('cuecard_flash', cookie)
    const { text, cookies } = await mine.get(path)
    expect(text).not.toContain(autoDelete.changed.on)
    expect(cookies).toEqual([expect.stringContaining('cuecard_flash=; Max-Age=0')])
  }
})
