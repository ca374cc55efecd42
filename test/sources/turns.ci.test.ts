import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { inn, prices, sourceOf } from './source-of.ts'
import { page, website } from './website.ts'

const stand = useStand()

const lease = (id: string, seconds: number) =>
  sql`update sources set resume_at = now(), lease_token = id, lease_expires_at = now() + make_interval(secs => ${seconds})
    where id = ${id}`.execute(stand.db)
/** Makes these the only sources that are due. */
const onlyDue = (...ids: string[]) =>
  sql`update sources set next_check_at = now() + interval '1 day', resume_at = null, lease_token = null, lease_expires_at = null
    where id <> all(${ids}::uuid[])`.execute(stand.db)
const isPostponed = async (id: string) => {
  const { rows } = await sql`select from sources where id = ${id}
    and resend_at between now() + interval '50 seconds' and now() + interval '60 seconds'`.execute(stand.db)
  return rows.length === 1
}

test('a sitemap of 150 files that take 10 seconds each is read in several turns, each file once', async () => {
  const site = await website({ '/prices': page('Prices', prices) })
  const files = Array.from({ length: 150 }, (_, at) => `/map-${at}.xml`)
  const type = { 'content-type': 'application/xml' }
  const entries = files.map((path) => `<sitemap><loc>${site.url}${path}</loc></sitemap>`).join('')
  site.pages['/sitemap.xml'] = { headers: type, body: `<sitemapindex>${entries}</sitemapindex>` }
  for (const path of files)
    site.pages[path] = { headers: type, body: `<urlset><url><loc>${site.url}/prices</loc></url></urlset>` }
  const { deliver, get, state, sent } = await sourceOf(stand, `${site.url}/sitemap.xml`, { kind: 'sitemap' })
  site.onRequest = (path) => {
    if (path.endsWith('.xml')) state.now += 10_000
    return Promise.resolve()
  }
  let turns = 0
  do {
    const began = state.now
    state.remaining = () => 300_000 - (state.now - began)
    sent.length = 0
    await deliver()
    expect(state.remaining()).toBeGreaterThan(0)
    turns++
  } while (sent.length > 0)
  expect(turns).toBeGreaterThan(7)
  expect(await get()).toMatchObject({ status: 'ready', page_count: 1 })
  expect(site.asked.filter((path) => path.endsWith('.xml')).toSorted()).toEqual(['/sitemap.xml', ...files].toSorted())
})

describe('a source sends no message, and waits for the sweeper’s,', () => {
  test('while another source of its organization is read from the same host', async () => {
    const site = await website(inn())
    const { deliver, get, sent, id, call, source, queued, ...tenant } = await sourceOf(stand, site.url)
    const sources = source.slice(0, source.lastIndexOf('/'))
    const { body: other } = await call('POST', sources, { url: `${site.url}/prices` })
    await queued()
    await lease(other.id, 60)
    for (let time = 0; time < 3; time++) await deliver()
    expect(site.asked).toEqual([])
    expect(sent).toEqual([])
    expect(await isPostponed(id)).toBe(true)
    await stand.sweep()
    expect(await queued()).not.toContain(id)
    await sql`update sources set resend_at = now() where id = ${id}`.execute(stand.db)
    await stand.sweep()
    await stand.sweep()
    expect((await queued()).filter((each) => each === id)).toHaveLength(1)
    await lease(other.id, -1)
    await deliver()
    expect(await get(), tenant.agentId).toMatchObject({ status: 'ready', page_count: 3 })
  })

  test('while another source of its organization is read, and one of an idle organization is due', async () => {
    const [site, ours] = [await website(inn()), await website(inn())]
    const second = await sourceOf(stand, site.url)
    const { body: first } = await second.call('POST', second.source.slice(0, second.source.lastIndexOf('/')), {
      url: `${ours.url}/prices`,
    })
    const other = await sourceOf(stand, ours.url)
    await onlyDue(first.id, second.id, other.id)
    await lease(first.id, 60)
    await second.deliver()
    expect(site.asked).toEqual([])
    expect(second.sent).toEqual([])
    expect(await isPostponed(second.id)).toBe(true)
    await lease(other.id, 60)
    await second.deliver()
    expect(await second.get()).toMatchObject({ status: 'ready', page_count: 3 })
    await lease(other.id, -1)
    await other.deliver()
    expect(await other.get()).toMatchObject({ page_count: 3 })
  })
})
