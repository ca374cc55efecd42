import { describe, expect, test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { makeThings } from '../routes.ts'
import { openAll, shortcomings } from '../shortcomings.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('the result of each click (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  test.each([390, 1280])(
    'fits a width of %i and is accessible, in light and in dark',
    { timeout: 300_000 },
    async (width) => {
      const tenant = await stand.tenant()
      const { agentId, sourceId } = await makeThings(stand.db, tenant)
      for (const title of ['Menu', 'Hours', 'Parking'])
        await tenant.call('POST', tenant.knowledgeBase, { title, content: `About: ${title}` })
      await stand.deliver()
      const home = `/dashboard/agents/${agentId}`
      const { page } = await open(tenant, `${home}/documents`, { viewport: { width, height: 844 } })
      const expectWell = async (what: string) => expect(await shortcomings(page, width), what).toEqual([])
      const go = (path: string) => page.goto(new URL(path, page.url()).href)

      await page.getByLabel('Select “Hours”').check()
      await page.getByLabel('Select “Parking”').check()
      await expectWell('documents are selected')
      await page.getByRole('button', { name: 'Delete 2 documents' }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      await expectWell('deletions that can be undone')

      // The list must not show the new titles before one of its rows is clicked.
      await page.route(/\/documents\?/, (route) => route.fulfill({ status: 204 }))
      const { body } = await tenant.call('GET', tenant.knowledgeBase)
      for (const { id, title } of body.data as { id: string; title: string }[])
        await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: `${title} of today` })
      await page.getByRole('button', { name: 'Delete “Menu”' }).click()
      await page.locator('#flash .bad').waitFor()
      await expectWell('a deletion that was refused')
      await page.unrouteAll()
      await go(`${home}/documents`)

      const virus = { name: `${'virus-'.repeat(20)}.exe`, mimeType: 'text/plain', buffer: Buffer.from('x') }
      await page.setInputFiles('#upload input[type=file]', virus)
      const refused = page.locator('#upload li').filter({ hasText: 'This type of file isn’t supported.' })
      await refused.waitFor()
      await expectWell('an upload that was refused')
      await refused.getByRole('button', { name: 'Remove' }).click()
      expect(await refused.count()).toBe(0)

      await page.context().setOffline(true)
      await page.evaluate("htmx.ajax('GET', '/dashboard/settings', '#main')")
      await page.locator('#flash').getByText('Cuecard can’t be reached. Check your connection and try again.').waitFor()
      await page.context().setOffline(false)
      await expectWell('a lost connection')

      for (const path of [
        ...['documents/new', 'sources/new', `sources/${sourceId}/edit`].map((of) => `${home}/${of}`),
        '/dashboard/settings/keys/new',
      ]) {
        await go(path)
        // Sends an empty form to get the server's messages.
        await page.evaluate(`{
        const form = document.querySelector('main form')
        form.noValidate = true
        for (const field of form.elements) if (/text|url|textarea/.test(field.type)) field.value = ''
      }`)
        await page.locator('main form').first().getByRole('button').first().click()
        await page.waitForLoadState()
        await page.evaluate(openAll)
        await expectWell(`${path}, sent empty`)
      }

      await go(`${home}/documents/new`)
      await page.locator('[name=title]').fill('Pets')
      await page.locator('[name=content]').fill('Dogs may stay.')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('#flash .notice').waitFor()
      await expectWell('a text was saved')
    },
  )
})
