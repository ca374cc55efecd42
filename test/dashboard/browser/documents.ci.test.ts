import { sql } from 'kysely'
import type { Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()
const listOf = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/documents`
const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

describe.runIf(executablePath)('documents in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  /** The list of a new agent's documents with these titles and no text. */
  async function openList(...titles: string[]) {
    const tenant = await stand.tenant()
    for (const title of titles) await tenant.call('POST', tenant.knowledgeBase, { title })
    const documents = async () => (await tenant.call('GET', tenant.knowledgeBase)).body.data
    return { ...(await open(tenant, listOf(tenant))), tenant, documents }
  }

  /** Has arrived files read, and their texts embedded. */
  async function work() {
    await stand.deliver('extraction')
    await stand.deliver()
  }

  test('files that are chosen or dropped are uploaded, and become ready without a reload, which leaves the focus where it is', async () => {
    const { page, wrong } = await openList()
    await page.evaluate('window.isSame = true')
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).press('Enter')
    await (await choosing).setFiles([text('Menu.txt', 'Soup of the day is tomato.'), text('Hours.md', 'We open at 9.')])
    const rows = page.locator('#documents .rows > li')
    await rows.filter({ hasText: 'Hours' }).waitFor()
    await rows.filter({ hasText: 'Menu' }).waitFor()
    expect(await page.locator('#upload li').count()).toBe(0)
    await page.getByRole('link', { name: 'Hours', exact: true }).focus()
    await work()
    await rows.filter({ hasText: 'Ready' }).nth(1).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Hours')

    const dropped = await page.evaluateHandle(
      `{ const transfer = new DataTransfer(); transfer.items.add(new File(['Dogs may stay.'], 'Pets.txt')); transfer }`,
    )
    await page.dispatchEvent('#upload', 'drop', { dataTransfer: dropped })
    await rows.filter({ hasText: 'Pets' }).waitFor()
    expect(await page.evaluate('window.isSame')).toBe(true)
    expect(wrong).toEqual([])
  })

  test('an upload shows its progress and can be cancelled, and leaves no document', async () => {
    const { page, documents } = await openList()
    // The bucket does not answer.
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    await page.route(`${stand.emulator.endpoint}/**`, () => hold())
    await page.setInputFiles('#upload input[type=file]', text('Menu.txt', 'Soup.'))
    const item = page.locator('#upload li').filter({ hasText: 'Menu.txt' })
    await isHeld
    expect(await item.innerText()).toContain('Uploading')
    expect(await item.getByRole('progressbar', { name: 'Uploading Menu.txt' }).isVisible()).toBe(true)
    const deleted = page.waitForResponse((response) => response.url().endsWith('/delete'))
    await item.getByRole('button', { name: 'Cancel' }).click()
    await deleted
    expect(await item.count()).toBe(0)
    expect(await documents()).toEqual([])
  })

  test.each([
    ['loses its connection', 'The connection was lost', undefined],
    ['is refused', 'wasn’t accepted', { status: 403, headers: { 'access-control-allow-origin': '*' } }],
  ])('an upload that %s can be tried again, and makes one document', async (_, says, refused) => {
    const { page, documents } = await openList()
    const deleted = refused && page.waitForResponse((response) => response.url().endsWith('/delete'))
    const answer = (route: Route) => (refused ? route.fulfill(refused) : route.abort())
    await page.route(`${stand.emulator.endpoint}/**`, answer, { times: 1 })
    await page.setInputFiles('#upload input[type=file]', text('Menu.txt', 'Soup.'))
    const item = page.locator('#upload li')
    await item.filter({ hasText: says }).waitFor()
    await deleted
    await item.getByRole('button', { name: 'Try again' }).click()
    await page.locator('#documents .rows > li').filter({ hasText: 'Menu' }).waitFor()
    expect(await documents()).toHaveLength(1)
  })

  test('a file that never arrived is uploaded again on the page of its document', async () => {
    const { tenant, page, wrong, documents } = await openList()
    await tenant.call('POST', `${tenant.knowledgeBase}/files`, { name: 'Menu.txt', bytes: 5 })
    await sql`update documents set upload_until = upload_until - interval '61 seconds'`.execute(stand.db)
    await page.reload()
    await page.getByRole('link', { name: 'Try again: upload the file of “Menu”' }).click()
    await page.getByRole('button', { name: 'Choose the file' }).waitFor()
    await page.setInputFiles('#upload input[type=file]', text('Menu.md', 'Soup of the day.'))
    await page.getByText('Queued').waitFor()
    await work()
    await page.getByText('Soup of the day.').waitFor()
    expect(await documents()).toMatchObject([{ status: 'completed' }])
    expect(wrong).toEqual([])
  })

  test('documents selected with one box are deleted in place, and restored together', async () => {
    const { page, wrong, documents } = await openList('Menu', 'Hours', 'Parking', ...'abcdefghijkl')
    const remove = page.getByRole('button', { name: /^Delete \d+ documents?$/ })
    const all = page.getByLabel('Select all')
    expect(await remove.isVisible()).toBe(false)
    const topOf = async () => (await page.locator('#documents .rows').boundingBox())!.y
    const top = await topOf()
    await all.check()
    expect(await topOf()).toBe(top)
    await page.getByLabel('Select “Hours”').uncheck()
    await page.mouse.wheel(0, 10_000)
    expect((await remove.boundingBox())!.y).toSatisfy((y) => y >= 0 && y < 800)
    expect(await all.isChecked()).toBe(false)
    expect(await remove.innerText()).toBe('Delete 14 documents')
    await remove.press('Enter')
    await page.locator('#flash').getByText('14 documents are in the trash.').waitFor()
    expect((await documents()).map(({ title }: { title: string }) => title)).toEqual(['Hours'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('#flash').getByText('14 documents are back.').waitFor()
    expect(await documents()).toHaveLength(15)
    await page.setInputFiles('#upload input[type=file]', text('Pets.txt', 'Dogs may stay.'))
    await page.locator('#flash').getByText('14 documents are back.').waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })

  test('a text for a caller’s question can be typed at once, with Save on a phone’s first screen', async () => {
    const [tenant, viewport] = [await stand.tenant(), { width: 375, height: 667 }]
    const { page } = await open(tenant, `${listOf(tenant)}/new?question=do+you+take+dogs`, { viewport })
    expect(await page.evaluate('document.activeElement.name')).toBe('content')
    const { y, height } = (await page.getByRole('button', { name: 'Save text' }).boundingBox())!
    expect(y + height).toBeLessThan(viewport.height)
  })

  test('the search for titles and its address follow what is typed', async () => {
    const { page, wrong } = await openList('Prices', 'Opening hours')
    await page.getByRole('searchbox').pressSequentially('hour')
    await page.getByRole('link', { name: 'Prices', exact: true }).waitFor({ state: 'detached' })
    expect(await page.locator('#documents .name').allInnerTexts()).toEqual(['Opening hours'])
    expect(new URL(page.url()).search).toBe('?q=hour')
    expect(await page.evaluate('document.activeElement.name')).toBe('q')
    expect(wrong).toEqual([])
  })
})
