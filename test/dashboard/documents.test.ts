import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newWorker } from '../support/stand/worker.ts'
import {
  formWith,
  get,
  hiddenIn,
  inProcess,
  listOf,
  pageOf,
  rowOf,
  seenIn,
  setColumns,
  titlesIn,
  write,
} from './document-rows.ts'
import { linkIn, plain, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()
const provider = useFakeProvider()

describe('the list', () => {
  test('has the agent’s documents, newest first, in pages with links to each other', async () => {
    const tenant = await signedIn()
    const titles = Array.from({ length: 27 }, (_, i) => `Title ${i}`)
    for (const title of titles) await write(tenant, title)
    const first = await tenant.browser.get(listOf(tenant))
    expect(titlesIn(first.html)).toEqual(titles.toReversed().slice(0, 25))
    const second = await tenant.browser.get(linkIn(first.html, 'Older documents'))
    expect(titlesIn(second.html)).toEqual(['Title 1', 'Title 0'])
    expect(second.text).toContain('Newest documents')
    expect(second.text).not.toContain('Older documents')
    const { id: agentId } = await createAgent(stand.db, tenant.organizationId as OrganizationId, 'Other')
    expect(titlesIn((await tenant.browser.get(listOf({ agentId }))).html)).toEqual([])
    const ofAnotherList = await tenant.browser.get(`${listOf(tenant)}?after=x`)
    expect(titlesIn(ofAnotherList.html)).toEqual(titlesIn(first.html))
  })

  test('finds titles that have each of the words, whatever their case and place', async () => {
    const tenant = await signedIn()
    expect((await tenant.browser.get(listOf(tenant))).text).toContain('Upload a file or write a text.')
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
    expect((await tenant.browser.get(`${listOf(tenant)}?q=x`)).text).toContain('No documents match.')
  })

  test('shows documents of one state, and counts all', async () => {
    const tenant = await signedIn()
    await write(tenant, 'Ready', 'text')
    await stand.deliver()
    await setColumns(stand, await write(tenant, 'Broken', 'text'), `status = 'error', error_message = 'It broke.'`)
    await write(tenant, 'New', 'text')
    for (const [show, titles] of [
      ['needs', ['Broken']],
      ['nonsense', ['New', 'Broken', 'Ready']],
    ] as const) {
      const { html, text } = await tenant.browser.get(`${listOf(tenant)}?show=${show}`)
      expect(titlesIn(html), show).toEqual(titles)
      expect(text).toContain('Current 3 Needs you 1 Past 0')
    }
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

  test.each([
    [
      `waiting_reason = 'The provider is <busy>', tries = 2, next_attempt_at = now() + interval '1 hour'`,
      'The provider is <busy>. It was tried 2 times and will be retried automatically.',
    ],
    [
      `status = 'error', error_code = 'not_processed', error_message = 'It broke. Set the status to pending.'`,
      'It wasn’t processed within 24 hours. Choose “Try again” to process it again.',
    ],
  ])('why a document waits, or what failed and what to do, in the screen’s words: %#', async (columns, says) => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Team', 'text')
    await setColumns(stand, id, columns)
    const row = rowOf((await tenant.browser.get(listOf(tenant))).html, id)
    expect(plain(row)).toContain(says)
    expect(row.includes(`action="${pageOf(tenant, id)}/retry"`)).toBe(says.includes('Try again'))
  })
})

test('while a document is processed, its list asks for changes, and gets nothing until a row, a page or a part has changed', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Scan', 'text')
  const list = await tenant.browser.get(listOf(tenant))
  expect(list.html).toContain('every 2s')
  let seen = seenIn(list.html)
  const ask = async () => {
    const changed = await tenant.browser.part(`${listOf(tenant)}?${seen}`)
    if (changed.status === 200) seen = seenIn(changed.html)
    return changed
  }
  expect(await ask()).toMatchObject({ status: 204, html: '' })
  for (const [columns, shown] of [
    ['planned_chunk_count = 457', '0 of 457 parts'],
    [`${inProcess}, planned_chunk_count = null, pages_read = 1, pages = 12`, 'Reading page 2 of 12'],
    ['pages_read = 2', 'Reading page 3 of 12'],
    [`status = 'error', lease_token = null, lease_expires_at = null, error_message = 'It broke.'`, 'It broke.'],
  ] as const) {
    await setColumns(stand, id, columns)
    expect((await ask()).text).toContain(shown)
    expect((await ask()).status).toBe(204)
  }
  await write(tenant, 'Other', 'text')
  expect((await ask()).html).toContain('every 2s')
  await stand.deliver()
  const settled = await ask()
  expect(settled.text).toContain('Ready')
  expect(settled.html).not.toContain('every 2s')
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${id}`)
  expect(titlesIn((await ask()).html)).toEqual(['Other'])
})

describe('deleting', () => {
  test('moves it to the trash, and can be undone in the list, which keeps its filter', async () => {
    const tenant = await signedIn()
    const [id] = [await write(tenant, 'Prices', 'text'), await write(tenant, 'Menu', 'text')]
    await stand.deliver()
    const filtered = `${listOf(tenant)}?q=e`
    const edits = hiddenIn((await tenant.browser.get(`${listOf(tenant)}/${id}`)).html, 'edits')
    const from = { 'sec-fetch-site': 'same-origin', referer: `http://app.example.com${filtered}` }
    const deleted = await tenant.browser.post(`${listOf(tenant)}/${id}/delete`, { edits }, from)
    expect(deleted.headers.location).toBe(filtered)
    const list = await tenant.browser.get(filtered)
    expect(list.text).toContain('“Prices” is in the trash. Undo')
    expect(titlesIn(list.html)).toEqual(['Menu'])
    const back = await tenant.browser.submit(...formWith(list.html, 'Undo'))
    expect(back.text).toContain('“Prices” is back.')
    expect(titlesIn(back.html)).toEqual(['Menu', 'Prices'])
  })

  test('leaves a document that somebody has changed since; of a cancelled upload, it leaves no trash', async () => {
    const tenant = await signedIn()
    const id = await write(tenant, 'Prices', 'text')
    const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}`)
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: 'New prices' })
    const shown = await tenant.browser.submit(`${listOf(tenant)}/${id}/delete`, { edits: hiddenIn(html, 'edits') })
    expect(shown.text).toContain('somebody has changed this in the meantime')
    expect(await get(tenant, id)).toMatchObject({ title: 'New prices' })
    const partial = { 'sec-fetch-site': 'same-origin', 'hx-request-type': 'partial' }
    const remove = () => tenant.browser.post(`${listOf(tenant)}/${id}/delete`, {}, partial)
    expect(await remove()).toMatchObject({ status: 204 })
    expect(await remove()).toMatchObject({ status: 204 })
    expect((await tenant.call('GET', `${tenant.knowledgeBase}?trashed=true`)).body.data).toEqual([])
  })
})

test('trying again processes a failed document again, leads to the page of one without content, and changes nothing of one in processing', async () => {
  const tenant = await signedIn()
  const retry = (id: string) => tenant.browser.submit(`${pageOf(tenant, id)}/retry`)
  const id = await write(tenant, 'Broken', 'text')
  await setColumns(stand, id, `status = 'error', error_message = 'It broke.'`)
  expect((await retry(id)).text).toContain('Queued')
  await stand.deliver()
  expect((await tenant.browser.get(listOf(tenant))).text).toContain('Ready')
  const empty = await write(tenant, 'T')
  expect((await retry(empty)).html).toContain('<title>T · ')
  const busy = await write(tenant, 'Busy', 'text')
  await setColumns(stand, busy, inProcess)
  expect((await retry(busy)).text).toContain('Processing')
})
