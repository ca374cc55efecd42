import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { permissionNames } from '../../functions/dashboard/permission-names.ts'
import { type Permission, permissions } from '../../shared/organizations/permissions.ts'
import { setColumns } from './document-rows.ts'
import { fill, type Ids, idsOf, makeThings, never, publicRoutes, rowsOf, screenRoutes } from './routes.ts'
import { type Browser, type Page, type SignedIn, signInAsPerson, useDashboard } from './support.ts'

const { stand, browser, signedIn } = useDashboard()
const posts = screenRoutes.filter(({ method }) => method === 'POST')

test('the only routes without a session sign in and out, accept an invitation, and give files', () => {
  expect(publicRoutes).toEqual([
    'GET /dashboard/assets/:file',
    'GET /dashboard/sign-in',
    'POST /dashboard/sign-in',
    'POST /dashboard/sign-out',
    'POST /dashboard/sign-in/mail',
    'GET /dashboard/sign-in/link',
    'POST /dashboard/sign-in/link',
    'GET /dashboard/sign-in/oidc',
    'GET /dashboard/sign-in/oidc/callback',
    'GET /dashboard/invitation',
    'POST /dashboard/invitation',
  ])
})

test('screens that only show need permission to read, and all others to write', () => {
  const below = (path: string, ...rest: string[]) => rest.map((each) => `GET /dashboard${path}${each}`)
  const documents = ['', '/file', '/history', '/history/:revision'].map((each) => `/documents/:documentId${each}`)
  const ownConnection = 'POST /dashboard/settings/apps/:connectionId/end'
  const read: Record<string, string[]> = {
    any: [...below('', '/*', '/organizations'), 'POST /dashboard/organizations', ownConnection],
    'kb:read': [
      ...[...below('', '', '/connect', '/settings/apps/new'), 'POST /dashboard/connect'],
      ...below('/agents/:agentId', '', '/ask', '/golden-questions', '/sources', '/sources/:sourceId'),
      ...below('/agents/:agentId', '/documents', ...documents),
    ],
    questions: below('/agents/:agentId', '/questions', '/call'),
    'organization:read': below('', '/settings', '/settings/calls'),
  }
  const needed = (route: string) => {
    const permission = Object.keys(read).find((each) => read[each]!.includes(route))
    if (permission || route.includes('/people/')) return permission ?? 'people'
    return /d\/(settings|agents\/(new|:agentId\/(edit|delete))$)/.test(route) ? 'organization:write' : 'kb:write'
  }
  for (const { method, path, metadata } of screenRoutes)
    expect([method, path, metadata.permission]).toEqual([method, path, needed(`${method} ${path}`)])
})

/** A tenant with everything, another, and one for each missing permission. No test changes them. */
let mine: Subject
let other: Subject
let reader: Subject
/** Their keys were revoked, expired or stripped of permissions after they had signed in. */
let revoked: Subject
let expired: Subject
let stripped: Subject
const lacking = new Map<string, Subject>()
type Subject = SignedIn & { ids: Ids; rows: string }

/** @param later changes the organization's keys after the sign-in */
async function makeSubject(granted?: Permission[], later?: string): Promise<Subject> {
  const tenant = await signedIn(granted)
  const ids = await makeThings(stand.db, tenant)
  if (later)
    await sql`update api_keys set ${sql.raw(later)} where organization_id = ${tenant.organizationId}`.execute(stand.db)
  return { ...tenant, ids, rows: await rowsOf(stand.db, tenant.organizationId) }
}

beforeAll(async () => {
  mine = await makeSubject()
  await signInAsPerson(mine.browser, stand.db, mine.organizationId)
  other = await makeSubject()
  reader = await makeSubject(['kb:read', 'organization:read'])
  await setColumns(stand, reader.ids.documentId, `status = 'error', error_message = 'It broke.'`)
  revoked = await makeSubject(undefined, 'revoked_at = now()')
  expired = await makeSubject(undefined, 'expires_at = now()')
  stripped = await makeSubject(undefined, `permissions = '{}'`)
  for (const permission of permissions)
    lacking.set(permission, await makeSubject(permissions.filter((each) => each !== permission)))
  lacking.set('people', await makeSubject())
  lacking.set('questions', lacking.get('kb:write')!)
})

const unchanged = async ({ organizationId, rows }: Subject) => expect(await rowsOf(stand.db, organizationId)).toBe(rows)

describe.each(screenRoutes)('$method $path', ({ method, path, metadata }) => {
  const isGet = method === 'GET'
  const send = ({ browser }: { browser: Browser }, url: string) =>
    isGet ? browser.get(url) : browser.post(url, { role: 'viewer' })

  test('asks for sign-in without a session', async () => {
    const stale = browser()
    stale.jar.set('cuecard_session', 'made-up')
    const strangers = [browser(), stale].map((browser) => ({ browser, ids: never() }))
    for (const subject of [...strangers, revoked, expired]) {
      const url = fill(path, subject.ids)
      const { status, headers } = await send(subject, url)
      expect(status).toBe(303)
      expect(headers.location).toMatch(/^\/dashboard\/sign-in(\?to=%2Fdashboard[\w%.-]*)?$/)
      if (!isGet) continue
      const part = await subject.browser.part(url)
      expect(part).toMatchObject({ status: 401, html: '', headers: { 'hx-redirect': headers.location } })
    }
    if (!isGet) for (const subject of [revoked, expired]) await unchanged(subject)
  })

  if (metadata.permission !== 'any')
    test('refuses a key without the permission, or that lost it after the sign-in, and does nothing', async () => {
      for (const subject of [lacking.get(metadata.permission)!, stripped]) {
        const { status, text } = await send(subject, fill(path, subject.ids))
        expect(status).toBe(403)
        const asked = metadata.permission === 'questions' ? 'kb:write' : metadata.permission
        if (asked === 'people') expect(text).toContain('Your role doesn’t allow this')
        else expect(text).toContain(permissionNames[asked as Permission])
        await unchanged(subject)
      }
    })

  if (path.includes(':'))
    test('finds nothing for another organization’s or a malformed id, and changes nothing', async () => {
      const inMine = /:(document|source)Id/.test(path) ? [{ ...other.ids, agentId: mine.ids.agentId }] : []
      for (const ids of [other.ids, ...inMine, never()]) {
        const { status } = await send(mine, fill(path, ids))
        if (isGet) expect(status).toBe(404)
        else expect([303, 404]).toContain(status)
      }
      const odd = fill(path, { ...idsOf(() => '0'), callId: '%00', keyId: '%2e' })
      expect((await send(mine, odd)).status).toBe(404)
      await unchanged(other)
    })

  const leadsElsewhere = /\/(\*|file|:agentId|connect)$/.test(path)
  if (isGet && !leadsElsewhere && !/(:write|^people|^questions)$/.test(metadata.permission))
    test('offers a read-only key no other action', async () => {
      const page = await reader.browser.get(fill(path, reader.ids))
      expect(page.status).toBe(200)
      const beyond = posts.concat(screenRoutes.filter(({ path }) => /\/(new|edit|delete|revoke)$/.test(path)))
      for (const { method, path } of beyond)
        expect(page.html).not.toContain(`${method === 'GET' ? 'href' : 'action'}="${fill(path, reader.ids)}`)
      expect(page.html).not.toMatch(/id="upload"|name="document"/)
    })

  if (isGet && !leadsElsewhere)
    test('follows the rules of all pages', async () => {
      const page = await mine.browser.get(fill(path, mine.ids))
      expect(page.status).toBe(200)
      assertRules(page)
      expect(page.text).toContain('Test')
      expect(page.headers['cache-control']).toBe('private, no-store')
    })
})

/** Headers of a form from another page or of an unknown origin. */
const elsewhere: Record<string, string>[] = [
  {},
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://app.example.com' },
  { origin: 'https://app.example.com.evil.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
  { 'sec-fetch-site': 'cross-site', 'content-type': '' },
  { origin: 'https://evil.example', 'content-type': 'multipart/form-data; boundary=x' },
]

test.each(
  [...screenRoutes.map(({ method, path }) => `${method} ${path}`), ...publicRoutes].filter((route) =>
    route.startsWith('POST '),
  ),
)('%s takes no form from another page, and nothing but forms', async (route) => {
  const url = fill(route.slice('POST '.length), mine.ids)
  const before = await rowsOf(stand.db, mine.organizationId)
  for (const headers of elsewhere)
    expect(await mine.browser.post(url, {}, headers), JSON.stringify(headers)).toMatchObject({
      status: 403,
      text: expect.stringContaining('This request didn’t come from Cuecard'),
      cookies: [],
    })
  expect(await mine.browser.post(url, {}, { 'content-type': 'application/json' })).toMatchObject({
    status: 400,
    cookies: [],
  })
  expect(await rowsOf(stand.db, mine.organizationId)).toBe(before)
})

test('error pages, and pages without a session, follow the same rules', async () => {
  const lost = await mine.browser.get('/dashboard/nowhere')
  expect([lost.status, lost.text]).toEqual([404, expect.stringContaining('This page doesn’t exist')])
  assertRules(lost)
  assertRules(await browser().get('/dashboard/sign-in'))
  assertRules(await browser().post('/dashboard/sign-in', { key: '"><script>alert(1)</script>' }))
  assertRules(await browser().post('/dashboard/sign-in', {}, {}))
})

test('a form from our own page is also recognised by its origin, with the port of a local gateway', async () => {
  const { browser } = await signedIn()
  const post = (headers: Record<string, string>) => browser.post('/dashboard/sign-out', {}, headers)
  expect((await post({ origin: 'https://app.example.com' })).status).toBe(303)
  expect((await post({ host: 'evil.example', origin: 'https://evil.example' })).status).toBe(403)
  process.env.ORIGIN = 'http://127.0.0.1:8787'
  onTestFinished(stand.restoreEnvironment)
  for (const [host, origin, status] of [
    ['127.0.0.1:8787', 'http://127.0.0.1:8787', 303],
    ['localhost:8787', 'http://localhost:8787', 303],
    ['127.0.0.1:8787', 'http://127.0.0.1:3000', 403],
    ['localhost:3000', 'http://localhost:3000', 403],
  ] as const)
    expect((await post({ host, origin })).status).toBe(status)
})

/** Checks that the page has nothing that the policy forbids, and what screen readers need. */
function assertRules({ html, headers }: Page) {
  const policy = headers['content-security-policy']!.split('; ')
  for (const rule of [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'"],
    ...["frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", 'trusted-types cuecard'],
  ])
    expect(policy).toContain(rule)
  for (const name of ['connect-src', 'form-action', 'img-src'])
    expect(policy.join()).toMatch(new RegExp(`${name} 'self'`))
  expect(policy.join()).not.toMatch(/unsafe|\*|http:(?!\/\/127)/)
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'strict-transport-security': expect.stringContaining('max-age='),
  })

  const tags = [...html.matchAll(/<([a-z][\w-]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([tag, name, attributes]) => {
      const pairs = [...attributes!.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)]
      return { tag, name, attributes: new Map(pairs.map(([, key, value = '']) => [key, value])) }
    },
  )
  expect(html.match(/<[a-z]/g)).toHaveLength(tags.length)
  for (const { tag, name, attributes } of tags) {
    expect(['style', 'iframe', 'object', 'embed', 'base'], tag).not.toContain(name)
    if (name === 'script') expect(attributes.get('src'), tag).toMatch(/^\/dashboard\/assets\//)
    for (const [key, value] of attributes) {
      expect(key, tag).not.toMatch(/^(style|on|srcdoc|(data-)?hx-on)/)
      expect(value, tag).not.toMatch(/^\s*(js|javascript):/i)
      // A filter in brackets would be a script.
      if (key!.endsWith('hx-trigger')) expect(value, tag).not.toContain('[')
    }
  }
  expect(html).not.toMatch(/<script[^>]*>\s*[^\s<]/)

  expect(html).toMatch(/^<!doctype html>\s*<html lang="en">/)
  expect(html).toMatch(/<title>[^<]+ · Cuecard<\/title>/)
  expect(html.match(/<h1[ >]/g)).toHaveLength(1)
  expect(html).toContain('<a class="skip button" href="#main">')
  const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? [])
  expect(ids).toEqual([...new Set(ids)])
  const labels = tags.filter(({ name }) => name === 'label').map(({ attributes }) => attributes.get('for'))
  for (const { tag, name, attributes } of tags) {
    const isHidden = attributes.get('type') === 'hidden' || attributes.has('hidden')
    const isChoice = ['checkbox', 'radio'].includes(attributes.get('type') ?? '')
    if (!['input', 'select', 'textarea'].includes(name!) || isHidden || isChoice) continue
    expect(attributes.has('aria-label') || labels.includes(attributes.get('id')), tag).toBe(true)
  }
  for (const { attributes } of tags)
    for (const id of (attributes.get('aria-describedby') ?? '').split(' ').filter(Boolean)) expect(ids).toContain(id)
}
