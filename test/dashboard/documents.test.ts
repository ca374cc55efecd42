import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newWorker } from '../support/stand/worker.ts'
import { hiddenIn, inProcess, listOf, rowOf, seenIn, setColumns, titlesIn, write } from './document-rows.ts'
import { type Browser, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()
const provider = useFakeProvider()

describe('the list', () => {
  test('is newest first, in pages with links to each other', async () => {
    const tenant = await signedIn()
    const titles = Array.from({ length: 27 }, (_, i) => `Title ${i}`)
    for (const title of titles) await write(tenant, title)
    const first = await tenant.browser.get(listOf(tenant))
    expect(titlesIn(first.html)).toEqual(titles.toReversed().slice(0, 25))
    const [, older] = /<a href="([^"]+)">Older documents</.exec(first.html) ?? []
    const second = await tenant.browser.get(older!.replaceAll('&amp;', '&'))
    expect(titlesIn(second.html)).toEqual(['Title 1', 'Title 0'])
    expect(second.text).toContain('Newest documents')
    expect(second.text).not.toContain('Older documents')
    const ofAnotherList = await tenant.browser.get(`${listOf(tenant)}?after=x`)
    expect(titlesIn(ofAnotherList.html)).toEqual(titlesIn(first.html))
  })

  test('finds titles that have each of the words, whatever their case and place', async () => {
    const tenant = await signedIn()
    for (const title of ['Summer prices 2026', 'Prices in winter', '100% wool', '100 ways']) await write(tenant, title)
    const found = async (q: string) =>
      titlesIn((await tenant.browser.get(`${listOf(tenant)}?${new URLSearchParams({ q })}`)).html)
    expect(await found('prices SUMMER')).toEqual(['Summer prices 2026'])
    expect(await found(' price ')).toEqual(['Prices in winter', 'Summer prices 2026'])
    expect(await found('0%')).toEqual(['100% wool'])
    expect(await found('_')).toEqual([])
    expect(await found('\0wool\0')).toEqual(['100% wool'])
    expect(await found('\0woo\0')).toEqual(['100% wool'])
    expect(await found('')).toHaveLength(4)
  })

  test('shows documents of one state, and counts all', async () => {
    const tenant = await signedIn()
    await write(tenant, 'Ready', 'text')
    await stand.deliver()
    await setColumns(stand, await write(tenant, 'Broken', 'text'), `status = 'error', error_message = 'It broke.'`)
    await write(tenant, 'New', 'text')
    for (const [show, titles] of [
      ['ready', ['Ready']],
      ['unfinished', ['New']],
      ['needs', ['Broken']],
      ['nonsense', ['New', 'Broken', 'Ready']],
    ] as const) {
      const { html, text } = await tenant.browser.get(`${listOf(tenant)}?show=${show}`)
      expect(titlesIn(html), show).toEqual(titles)
      expect(text).toContain('Current 3 Needs you 1 Ready 1 Processing 1 Past 0')
    }
  })

  test('says what to do when there is nothing in it', async () => {
    const { browser, agentId, call, knowledgeBase } = await signedIn()
    expect((await browser.get(listOf({ agentId }))).text).toContain('Upload a file or write a text.')
    await call('POST', knowledgeBase, { title: 'Prices' })
    expect((await browser.get(`${listOf({ agentId })}?q=x`)).text).toContain('No documents match.')
  })
})

describe('a row says', () => {
  test('how much of a long document is stored, or what an edit changes', async () => {
    const tenant = await signedIn()
    const sentences = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `Sentence ${from + i} has some six words.`).join('\n\n')
    const id = await write(tenant, 'Catalogue', sentences(0, 5))
    const worker = newWorker(stand, provider, { callLimits: { inputs: 2, tokens: 1000 }, concurrency: 1 })
    const work = () => worker([{ id, organizationId: tenant.organizationId }])
    const row = async () => rowOf((await tenant.browser.get(listOf(tenant))).html, id)

    provider.script(['ok', 'ok', 'too_many_requests'])
    await work()
    expect(await row()).toContain('4 of 5 parts')
    expect(await row()).toContain('<progress value="4" max="5"')
    expect(await row()).not.toContain('previous version')
    await setColumns(stand, id, 'next_attempt_at = now()')
    await work()
    expect(await row()).toContain('Ready')

    const content = `${sentences(0, 5)}\n\n${sentences(90, 94)}`
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content })
    provider.script(['ok', 'too_many_requests'])
    await work()
    expect(await row()).toContain('2 of 5 parts')
    expect(await row()).toContain('Callers still get answers from the previous version')
  })

  test('why a document waits', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Team', 'text')
    const waiting = `waiting_reason = 'The provider is <busy>', tries = 2, next_attempt_at = now() + interval '1 hour'`
    await setColumns(stand, id, waiting)
    const row = rowOf((await tenant.browser.get(listOf(tenant))).html, id)
    expect(row).toContain('The provider is &lt;busy&gt;. It was tried 2 times and will be retried automatically.')
  })

  test('what failed and what to do, in the screen’s words', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Broken', 'text')
    const message = 'It broke. Set the status to pending to try again.'
    await setColumns(stand, id, `status = 'error', error_code = 'not_processed', error_message = '${message}'`)
    const row = rowOf((await tenant.browser.get(listOf(tenant))).html, id)
    expect(row).toContain('It wasn’t processed within 24 hours. Choose “Try again” to process it again.')
    expect(row).toContain(`action="${listOf(tenant)}/${id}/retry"`)
  })
})

describe('while a document is processed', () => {
  const live = ({ browser, agentId }: { browser: Browser; agentId: string }, seen: string) =>
    browser.part(`${listOf({ agentId })}?live=1&${seen}`)

  test('nothing is sent until something has changed, and then only that row', async () => {
    const tenant = await signedIn()
    const [one, other] = [await write(tenant, 'One', 'text'), await write(tenant, 'Other', 'text')]
    const { html } = await tenant.browser.get(listOf(tenant))
    expect(html).toContain('hx-trigger="every 2s"')
    expect(await live(tenant, seenIn(html))).toMatchObject({ status: 204, html: '' })

    await setColumns(stand, one, `status = 'error', error_message = 'It broke.'`)
    const changed = await live(tenant, seenIn(html))
    expect(rowOf(changed.html, one)).toContain('It broke.')
    expect(rowOf(changed.html, other)).toBe('')
    expect(changed.text).toContain('“One” failed.')
    expect(changed.text).toContain('Current 2 Needs you 1 Ready 0 Processing 1 Past 0')
    expect(changed.html).not.toContain('hx-target="#live"')
  })

  test('a part that is stored counts as a change', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Catalogue', 'text')
    const { html } = await tenant.browser.get(listOf(tenant))
    await setColumns(stand, id, 'planned_chunk_count = 457')
    expect((await live(tenant, seenIn(html))).text).toContain('0 of 457 parts')
  })

  test('a page that is recognised counts as a change', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Scan', 'text')
    await setColumns(
      stand,
      id,
      `status = 'processing', lease_token = id, lease_expires_at = now(), pages_read = 1, pages = 12`,
    )
    const { html } = await tenant.browser.get(listOf(tenant))
    expect(html).toContain('Reading page 2 of 12')
    await setColumns(stand, id, 'pages_read = 2')
    expect((await live(tenant, seenIn(html))).text).toContain('Reading page 3 of 12')
  })

  test('polling ends when processing does', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'One', 'text')
    const { html } = await tenant.browser.get(listOf(tenant))
    await stand.deliver()
    const settled = await live(tenant, seenIn(html))
    expect(settled.html).toContain('<hx-partial hx-target="#live" hx-swap="delete">')
    expect(settled.text).toContain('“One” is ready.')
    expect(rowOf(settled.html, id)).not.toContain('name="seen"')
    expect((await tenant.browser.get(listOf(tenant))).html).not.toContain('every 2s')
  })

  test('a row disappears with its document', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'One', 'text')
    const { html } = await tenant.browser.get(listOf(tenant))
    await tenant.call('DELETE', `${tenant.knowledgeBase}/${id}`)
    expect((await live(tenant, seenIn(html))).html).toContain(`hx-target="#document-${id}" hx-swap="delete"`)
  })

  test('documents of another organization do not show', async () => {
    const [mine, theirs] = [await signedIn(), await signedIn()]
    const id = await write(theirs, 'Secret', 'text')
    const { html, text } = await live(mine, `seen=${id}.1`)
    expect(text).not.toContain('Secret')
    expect(html).toContain(`hx-target="#document-${id}" hx-swap="delete"`)
    expect(await live({ ...mine, agentId: theirs.agentId }, `seen=${id}.1`)).toMatchObject({ status: 404 })
  })
})

describe('deleting', () => {
  test('moves it to the trash, and can be undone in the list, which keeps its filter', async () => {
    const tenant = await signedIn()
    const [id] = [await write(tenant, 'Prices', 'text'), await write(tenant, 'Menu', 'text')]
    await stand.deliver()
    const filtered = `${listOf(tenant)}?show=ready`
    const edits = hiddenIn((await tenant.browser.get(`${listOf(tenant)}/${id}`)).html, 'edits')
    const from = { 'sec-fetch-site': 'same-origin', referer: `http://app.example.com${filtered}` }
    const deleted = await tenant.browser.post(`${listOf(tenant)}/${id}/delete`, { edits }, from)
    expect(deleted.headers.location).toBe(filtered)
    const list = await tenant.browser.get(filtered)
    expect(list.text).toContain('“Prices” is in the trash. Undo')
    expect(titlesIn(list.html)).toEqual(['Menu'])
    const undo = /action="([^"]+restore[^"]+)"><input type="hidden" name="what" value="([^"]+)"/.exec(list.html)!
    const back = await tenant.browser.submit(undo[1]!, { what: undo[2]! })
    expect(back.text).toContain('“Prices” is back.')
    expect(titlesIn(back.html)).toEqual(['Menu', 'Prices'])
  })

  test('leaves a document that somebody has changed since', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Prices', 'text')
    const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: 'New prices' })
    const shown = await tenant.browser.submit(`${listOf(tenant)}/${id}/delete`, { edits: hiddenIn(html, 'edits') })
    expect(shown.text).toContain('somebody has changed it in the meantime')
    expect(await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).toMatchObject({ status: 200 })
  })

  test('of a cancelled upload leaves nothing in the trash, and reports the outcome by its status', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Prices', 'text')
    const partial = { 'sec-fetch-site': 'same-origin', 'hx-request-type': 'partial' }
    const remove = (edits: string) => tenant.browser.post(`${listOf(tenant)}/${id}/delete`, { edits }, partial)
    expect(await remove('7')).toMatchObject({ status: 409, html: '' })
    expect(await remove('1')).toMatchObject({ status: 204 })
    expect(await remove('1')).toMatchObject({ status: 204 })
    expect((await tenant.call('GET', `${tenant.knowledgeBase}?trashed=true`)).body.data).toEqual([])
  })
})

describe('trying again', () => {
  test('processes a failed document again', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Broken', 'text')
    await setColumns(stand, id, `status = 'error', error_message = 'It broke.'`)
    const page = await tenant.browser.submit(`${listOf(tenant)}/${id}/retry`)
    expect(page.text).toContain('Queued')
    await stand.deliver()
    expect((await tenant.browser.get(listOf(tenant))).text).toContain('Ready 1')
  })

  test('of a document without content leads to its page', async () => {
    const tenant = await signedIn()
    const page = `${listOf(tenant)}/${await write(tenant, 'T')}`
    const retried = await tenant.browser.post(`${page}/retry`)
    expect(retried).toMatchObject({ status: 303, headers: { location: page } })
  })

  test('of a document in processing changes nothing', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Busy', 'text')
    await setColumns(stand, id, inProcess)
    expect((await tenant.browser.submit(`${listOf(tenant)}/${id}/retry`)).text).toContain('Processing')
  })
})

test('markup in titles, texts and messages is text on every screen', async () => {
  const tenant = await signedIn()
  const markup = `<img src=x onerror=alert(1)>"'<hx-partial hx-target="body">x</hx-partial>`
  const id = await write(tenant, markup, `# ${markup}\n\n${markup} ${'word '.repeat(400)}`)
  const before = await tenant.browser.get(`${listOf(tenant)}?q=${encodeURIComponent(markup)}`)
  await stand.deliver()
  const document = `${listOf(tenant)}/${id}`
  const pages = [
    before,
    await tenant.browser.part(`${listOf(tenant)}?live=1&${seenIn(before.html)}`),
    await tenant.browser.get(document),
    await tenant.browser.get(`${document}/edit`),
    await tenant.browser.post(`${document}/edit`, { title: markup, content: markup, edits: '99' }),
    await tenant.browser.post(`${listOf(tenant)}/new`, { title: '', content: markup }),
    await tenant.browser.submit(`${document}/delete`, {}),
    await tenant.browser.get(`/dashboard/agents/${tenant.agentId}/trash`),
  ]
  for (const { html } of pages) {
    expect(html).toContain('&lt;img src=x')
    expect(html).not.toContain('<img')
    expect(html).not.toContain('<hx-partial hx-target="body"')
  }
})

test('documents of another agent of the organization are not in the list', async () => {
  const tenant = await signedIn()
  await write(tenant, 'Prices')
  const other = await createAgent(stand.db, tenant.organizationId as OrganizationId, 'Other')
  expect(titlesIn((await tenant.browser.get(listOf({ agentId: other.id }))).html)).toEqual([])
})
