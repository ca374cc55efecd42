import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { crawled, hours, inn, sourceOf as websiteOfStand } from './source-of.ts'
import { page, website } from './website.ts'

const stand = useStand()

const sourceOf = (url: string, more?: object) => websiteOfStand(stand, url, more)

describe('a crawl of many pages', () => {
  test('makes documents of pages that together exceed the size of a statement', async () => {
    const long = (name: string) => page(name, `${name} ${'"rooms" '.repeat(180_000)}`)
    const names = ['/a', '/b', '/c', '/d', '/e', '/f']
    const site = await website({ '/': page('Paws Inn', hours, ...names) })
    for (const name of names) site.pages[name] = long(name)
    const { deliver, get } = await sourceOf(site.url)
    await deliver()
    expect(await get()).toMatchObject({ status: 'ready', error_message: null, page_count: 7 })
  })

  test('reads a sitemap whose addresses exceed the size of a statement', async () => {
    const site = await website({ '/': page('Paws Inn', hours) })
    const addresses = Array.from({ length: 45_000 }, (_, i) => `${site.url}/${i}/${'x'.repeat(200)}`)
    site.pages['/sitemap.txt'] = { headers: { 'content-type': 'text/plain' }, body: addresses.join('\n') }
    const { deliver, id, state } = await sourceOf(`${site.url}/sitemap.txt`, { kind: 'sitemap' })
    site.onRequest = (path) => {
      if (path === '/sitemap.txt') state.remaining = () => 0
      return Promise.resolve()
    }
    await deliver()
    const { rows } = await sql`select count(*)::int as listed from source_pages where source_id = ${id}`.execute(
      stand.db,
    )
    expect(rows).toEqual([{ listed: 5000 }])
  })
})

describe('an interrupted crawl', () => {
  test('continues where its time ran out, and requests no page twice', async () => {
    const site = await website(inn())
    const { deliver, get, sent, state, id } = await sourceOf(site.url)
    let looks = 0
    state.remaining = () => (looks++ === 0 ? 300_000 : 10_000)
    await deliver()
    expect(await get()).toMatchObject({ status: 'pending', page_count: 0 })
    expect(sent).toMatchObject([{ id }])
    state.remaining = () => 300_000
    await deliver()
    expect(await get()).toMatchObject({ status: 'ready', page_count: 3 })
    expect(site.asked.filter((path) => path !== '/robots.txt').sort()).toEqual(['/', '/parking', '/prices'])
  })

  test('reads a sitemap of hundreds of pages in several turns, each page once', async () => {
    const paths = Array.from({ length: 300 }, (_, at) => `/room-${at}`)
    const site = await website({})
    for (const path of paths)
      site.pages[path] = page(path, `The room ${path} costs 80 euros, with breakfast and a view.`)
    const addresses = paths.map((path) => `<url><loc>${site.url}${path}</loc></url>`).join('')
    const type = { 'content-type': 'application/xml' }
    site.pages['/sitemap.xml'] = { headers: type, body: `<urlset>${addresses}</urlset>` }
    const { deliver, get, state, sent } = await sourceOf(`${site.url}/sitemap.xml`, { kind: 'sitemap' })
    let turns = 0
    do {
      const began = site.asked.length
      state.remaining = () => (site.asked.length - began < 110 ? 300_000 : 0)
      sent.length = 0
      await deliver()
      turns++
    } while (sent.length > 0)
    expect(turns).toBeGreaterThan(2)
    expect(await get()).toMatchObject({ status: 'ready', page_count: 300 })
    expect(site.asked.filter((path) => path.startsWith('/room')).toSorted()).toEqual(paths.toSorted())
  })

  test('is resumed by the sweeper after a crash, once its lease has expired, and keeps one document a page', async () => {
    const { deliver, get, documents, id, queued } = await crawled(stand)
    // A crash leaves this state if the documents are created and not yet recorded.
    await sql`update sources set resume_at = now(), lease_token = id, lease_expires_at = now() - interval '1 second', resend_at = now()
      where id = ${id}`.execute(stand.db)
    await sql`update source_pages p set task = 'create', title = 'T', content = d.content, applied_hash = null
      from documents d
      where p.source_id = ${id} and d.source_id = ${id} and d.external_id = p.address`.execute(stand.db)
    const before = await documents()
    await stand.sweep()
    expect(await queued()).toContain(id)
    await deliver()
    expect(await get()).toMatchObject({ status: 'ready', page_count: 3 })
    const after = await documents()
    for (const path of Object.keys(before)) expect(after[path].id, path).toBe(before[path].id)
  })

  test('writes nothing while the database’s disk is full, and then continues without fetching again', async () => {
    const site = await website(inn())
    const { deliver, get, documents, id, queued } = await sourceOf(site.url)
    await sql`create function refuse() returns trigger language plpgsql as $$ begin
      raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`.execute(stand.db)
    await sql`create trigger refuse after insert on documents for each row when (new.external_id like '%/prices')
      execute function refuse()`.execute(stand.db)
    expect(await deliver()).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] })
    expect(await get()).toMatchObject({ status: 'pending', error_message: null })
    expect(await documents()).toEqual({})
    const asked = site.asked.length
    await sql`drop function refuse cascade`.execute(stand.db)
    await sql`update sources set lease_expires_at = now() - interval '1 second', resend_at = now()
      where id = ${id}`.execute(stand.db)
    await stand.sweep()
    expect(await queued()).toContain(id)
    await deliver()
    expect(await get()).toMatchObject({ status: 'ready', page_count: 3 })
    expect(Object.keys(await documents()).toSorted()).toEqual(['/', '/parking', '/prices'])
    expect(site.asked.slice(asked)).toEqual([])
  })

  test('is resumed by the sweeper if the queue takes no message', async () => {
    const site = await website(inn())
    const { deliver, state, id, queued } = await sourceOf(site.url)
    let looks = 0
    state.remaining = () => (looks++ === 0 ? 300_000 : 10_000)
    state.isQueueDown = true
    expect((await deliver()).batchItemFailures).toEqual([])
    await stand.sweep()
    expect(await queued()).toContain(id)
  })
})

describe('while a crawl is under way', () => {
  test.each(['', '?trash=true'])('DELETE%s of its source ends it without a document', async (query) => {
    const site = await website(inn())
    const { deliver, documents, sent, call, source } = await sourceOf(site.url)
    site.onRequest = async (path) => {
      if (path === '/parking') await call('DELETE', source + query)
    }
    expect((await deliver()).batchItemFailures).toEqual([])
    expect(await documents()).toEqual({})
    expect(sent).toEqual([])
  })

  test('a change of its paths ends it, and the next crawl uses the new ones', async () => {
    const site = await website(inn())
    const { deliver, documents, call, source } = await sourceOf(site.url)
    site.onRequest = async (path) => {
      site.onRequest = () => Promise.resolve()
      if (path !== '/x') await call('PATCH', source, { exclude: ['/prices'] })
    }
    await deliver()
    expect(await documents()).toEqual({})
    await deliver()
    expect(Object.keys(await documents()).sort()).toEqual(['/', '/parking'])
  })

  test('a refresh waits for its end, and simultaneous refreshes are one', async () => {
    const site = await website(inn())
    const { deliver, get, call, source } = await sourceOf(site.url)
    site.onRequest = async (path) => {
      if (path !== '/parking') return
      site.onRequest = () => Promise.resolve()
      await Promise.all([call('POST', `${source}/refresh`), call('POST', `${source}/refresh`)])
    }
    await deliver()
    expect(await get()).toMatchObject({ status: 'pending', page_count: 3 })
    await deliver()
    expect(await get()).toMatchObject({ status: 'ready', page_count: 3 })
    const { length } = site.asked
    await deliver()
    expect(site.asked).toHaveLength(length)
  })
})
