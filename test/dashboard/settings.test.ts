import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createKey } from '../../infra/admin/keys.ts'
import { isWellFormed } from '../../shared/http/api-keys.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { type Permission, permissions } from '../../shared/organizations/permissions.ts'
import { limit } from '../support/stand/tenant.ts'
import { type Browser, type SignedIn, signIn, useDashboard } from './support.ts'

const { stand, signedIn, browser: newBrowser } = useDashboard()
const path = '/dashboard/settings'

const keysOf = (organizationId: string) =>
  stand.db.selectFrom('api_keys').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute()

/** The fields of the form of a new key, as a browser sends them. */
const newKeyFields = (more: Record<string, string | string[]> = {}) => ({
  name: 'Vapi',
  permissions: ['kb:read'],
  days: '30',
  ...more,
})

describe('a key', () => {
  test('is created for a time or for ever, shown once, and works', async () => {
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
    const unlimited = newKeyFields({ days: 'never', permissions: [...permissions] })
    await browser.post(`${path}/keys/new`, unlimited)
    expect((await keysOf(organizationId)).at(-1)).toMatchObject({ expires_at: null, permissions })
  })

  test('may not do more than the key that creates it, nor outlive it', async () => {
    const { browser, organizationId } = await signedIn(['organization:read', 'organization:write'])
    const form = await browser.get(`${path}/keys/new`)
    const offered = [...form.html.matchAll(/name="permissions" value="([^"]+)"/g)].map(([, value]) => value!)
    expect(offered).toEqual(['organization:read', 'organization:write'])
    const beyond = newKeyFields({ permissions: ['organization:read', 'kb:read'] })
    expect((await browser.post(`${path}/keys/new`, beyond)).status).toBe(403)
    expect(await keysOf(organizationId)).toHaveLength(1)
    const end = new Date(Date.now() + 3 * 86_400_000)
    await sql`update api_keys set expires_at = ${end} where organization_id = ${organizationId}`.execute(stand.db)
    expect((await browser.get(`${path}/keys/new`)).text).toContain('It expires no later than your own key, on')
    for (const days of ['30', 'never']) {
      await browser.post(`${path}/keys/new`, newKeyFields({ days, permissions: offered }))
      expect((await keysOf(organizationId)).at(-1)!.expires_at).toEqual(end)
    }
  })

  const isOwn = 'You’re signed in with this key. You’ll be signed out and need another one to sign in again.'
  const second = ({ organizationId: id }: SignedIn, granted: Permission[] = ['kb:read']) =>
    createKey(stand.db, { organizationId: id as OrganizationId, name: 'Second', permissions: granted })

  test('is revoked after a page that says what stops, and is then listed as such; that of the session signs out', async () => {
    const mine = await signedIn()
    const { id } = await second(mine)
    const question = await mine.browser.get(`${path}/keys/${id}/revoke`)
    expect(question.text).toContain(
      'Whatever uses this key stops working within 30 seconds: a voice platform no longer gets answers, and anyone signed in with it is signed out. This can’t be undone.',
    )
    expect(question.text).not.toContain(isOwn)
    const { text, html } = await mine.browser.submit(`${path}/keys/${id}/revoke`)
    expect(text).toContain('The key “Second” was revoked.')
    expect(text).toContain('1 inactive key')
    expect(text).toContain('revoked')
    expect(html).not.toContain(`${id}/revoke`)
    expect((await mine.browser.get(`${path}/keys/${id}/revoke`)).status).toBe(404)

    const [own] = await keysOf(mine.organizationId)
    expect((await mine.browser.get(path)).text).toContain(`test You’re signed in with this key`)
    expect((await mine.browser.get(`${path}/keys/${own!.id}/revoke`)).text).toContain(isOwn)
    const after = await mine.browser.submit(`${path}/keys/${own!.id}/revoke`)
    expect(after).toMatchObject({ status: 303, headers: { location: expect.stringContaining('/dashboard/sign-in') } })
    expect((await mine.browser.get(after.headers.location!)).text).toContain(
      'Your session has ended. Sign in to continue.',
    )
  })
})

describe('the keys that a key has created', () => {
  /** A browser signed in with a key that this browser's key creates. */
  async function makeKey(browser: Browser, name: string) {
    const fields = newKeyFields({ name, permissions: [...permissions] })
    const [key = ''] = /cue_\w+/.exec((await browser.post(`${path}/keys/new`, fields)).html) ?? []
    return await signIn(newBrowser(), key)
  }

  /** A key `Leaked` that created `Child`, which created `Grandchild`; and one that the leaked key did not create. */
  async function leak() {
    const mine = await signedIn()
    const leaked = await makeKey(mine.browser, 'Leaked')
    const child = await makeKey(leaked, 'Child')
    const grandchild = await makeKey(child, 'Grandchild')
    const other = await makeKey(mine.browser, 'Other')
    const pathOf = async (name: string) =>
      `${path}/keys/${(await keysOf(mine.organizationId)).find((key) => key.name === name)!.id}/revoke`
    const names = async () =>
      (await keysOf(mine.organizationId)).filter(({ revoked_at }) => revoked_at === null).map(({ name }) => name)
    const [revokePath, childPath] = [await pathOf('Leaked'), await pathOf('Child')]
    return { ...mine, leaked, grandchild, other, revokePath, childPath, names }
  }

  test('are otherwise kept, and can be revoked later, even those of a revoked key', async () => {
    const { browser, revokePath, childPath, names } = await leak()
    await browser.submit(childPath)
    expect(await names()).toEqual(['test', 'Leaked', 'Grandchild', 'Other'])
    expect((await browser.get(revokePath)).text).toContain(`This key created 1 other key Grandchild`)
    await browser.submit(revokePath)
    expect(await names()).toEqual(['test', 'Grandchild', 'Other'])
    await browser.submit(revokePath, { created: 'true' })
    expect(await names()).toEqual(['test', 'Other'])
  })

  test('are listed before it is revoked, are revoked with it when that is chosen, and cannot be created then, however close in time', async () => {
    const { leaked, browser, revokePath, names, grandchild, other } = await leak()
    expect((await browser.get(revokePath)).text).toContain(
      'This key created 2 other keys Child Grandchild Revoke these, too. Do this if the key has leaked.',
    )
    const fields = Array.from({ length: 5 }, () => newKeyFields({ name: 'Late' }))
    const [revoked] = await Promise.all([
      browser.submit(revokePath, { created: 'true' }),
      ...fields.map((each) => leaked.post(`${path}/keys/new`, each)),
    ])
    expect(revoked.text).toMatch(/[3-8] keys were revoked\./)
    expect(await names()).toEqual(['test', 'Other'])
    expect((await grandchild.get(path)).status).toBe(303)
    expect((await other.get(path)).status).toBe(200)
  })
})

test('an app is connected by the address of the chosen agent, in three steps', async () => {
  const { browser, agentId, call } = await signedIn()
  const { id } = (await call('POST', '/v1/agents', { name: 'Night desk' })).body
  const page = `${path}/apps/new`
  const addressIn = (html: string) => /<code id="address">([^<]+)/.exec(html)?.[1]
  const addressOf = (agent: string) => `https://app.example.com/v1/agents/${agent}/connect/mcp`
  const { html, text } = await browser.get(page)
  expect(addressIn(html)).toBe(addressOf(id))
  expect(html).toContain(`href="${page}?agent=${agentId}"`)
  expect(html.match(/<ol class="steps">(<li>[^<]+<\/li>){3}<\/ol>/g)).toHaveLength(2)
  expect(text).toContain('None of its documents is ready')
  expect(addressIn((await browser.get(`${page}?agent=${agentId}`)).html)).toBe(addressOf(agentId))
  const other = await signedIn()
  expect(addressIn((await browser.get(`${page}?agent=${other.agentId}`)).html)).toBe(addressOf(id))
})

test('usage is shown beside its limit', async () => {
  const { browser, call, knowledgeBase, organizationId } = await signedIn()
  await call('POST', knowledgeBase, { title: 'Hours', content: 'Closed on Sunday.' })
  await stand.deliver()
  const { text, html } = await browser.get(path)
  expect(text).toContain(`Agent 1 of 10,000 documents`)
  expect(html).toContain('<progress value="1" max="10000"')
  expect(text).toMatch(
    /Text processed today.*Once these tokens are used up, new texts wait until the next day, which starts at 00:00 UTC. Documents that are ready stay ready..*Documents being processed/,
  )
  await sql`update documents set file_bytes = 12300000 where organization_id = ${organizationId}`.execute(stand.db)
  await limit(stand.db, organizationId, { stored_bytes: 10_000_000_000 })
  expect((await browser.get(path)).text).toContain(`Storage, with the trash 13 of 10,000 MB`)
})

test('a forged message is not shown', async () => {
  const { browser: mine } = await signedIn()
  const { browser: other } = await signedIn()
  await other.post(`${path}/auto-delete`, { on: 'true' })
  const forged = other.jar.get('cuecard_flash')!
  for (const cookie of [forged, 'made-up', Buffer.from('["text",false]').toString('base64url')]) {
    mine.jar.set('cuecard_flash', cookie)
    const { text, cookies } = await mine.get(path)
    expect(text).not.toContain('“Delete completed calls” is on.')
    expect(cookies).toEqual([expect.stringContaining('cuecard_flash=; Max-Age=0')])
  }
})
