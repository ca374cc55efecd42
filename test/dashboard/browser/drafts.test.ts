import { describe, expect, test } from 'vitest'
import { words } from '../../../functions/dashboard/words.ts'
import { executablePath } from '../../support/chromium.ts'
import { type Tenant, useStand } from '../../support/stand.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()
const { text: w } = words.documents

describe.runIf(executablePath)(
  'what was typed when the session ended (needs chromium, or CHROMIUM with its path)',
  () => {
    const { open } = useSignedIn(stand)

    async function openForm(path: (tenant: Tenant) => string | Promise<string>) {
      const tenant = await stand.tenant()
      const { page } = await open(tenant, await path(tenant))
      return {
        tenant,
        page,
        field: (name: string) => page.getByLabel(name, { exact: true }),
        click: (name: string) => page.getByRole('button', { name, exact: true }).click(),
        async signInAgain() {
          await page.getByLabel(words.signIn.key).fill('cue_mistyped')
          await page.getByRole('button', { name: words.signIn.submit }).click()
          await page.getByText(words.signIn.malformed).waitFor()
          await page.getByLabel(words.signIn.key).fill(tenant.apiKey)
          await page.getByRole('button', { name: words.signIn.submit }).click()
          await page.locator('#flash').getByText(words.restored).waitFor()
        },
      }
    }

    test('is in the form again after signing in, saved once, and in no address', async () => {
      const { tenant, page, field, click, signInAgain } = await openForm(
        ({ agentId }) => `/dashboard/agents/${agentId}/documents/new?title=Hours`,
      )
      const typed = 'We open at 9.\n\n"<b>Closed</b>" on Sunday.'
      await field(w.title).fill('Opening hours')
      await field(w.content).fill(typed)
      await page.context().clearCookies()
      const addresses: string[] = []
      page.on('request', (request) => addresses.push(request.url()))
      await click(w.saveNew)
      await signInAgain()
      expect([await field(w.title).inputValue(), await field(w.content).inputValue()]).toEqual(['Opening hours', typed])
      expect(addresses.filter((address) => address.includes('Closed') || address.includes('Opening'))).toEqual([])
      await click(w.saveNew)
      await page.locator('#flash').getByText(w.saved('Opening hours')).waitFor()
      await page.goBack()
      await page.reload()
      expect(await field(w.content).inputValue()).toBe('')
      expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
    })

    test('does not replace what somebody else has saved since', async () => {
      let id = ''
      const { tenant, page, field, click, signInAgain } = await openForm(async ({ agentId, call, knowledgeBase }) => {
        const { body } = await call('POST', knowledgeBase, { title: 'Hours', content: 'We open at 9.' })
        id = body.id
        return `/dashboard/agents/${agentId}/documents/${id}/edit`
      })
      await field(w.content).fill('We open at 8.')
      await page.context().clearCookies()
      await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: 'We open at 7.' })
      await click(words.save)
      await signInAgain()
      await click(words.save)
      await page.getByText(w.conflict).waitFor()
      expect(await field(w.content).inputValue()).toBe('We open at 8.')
    })

    test('is kept of a new key too, with what was chosen', async () => {
      const { page, field, click, signInAgain } = await openForm(() => '/dashboard/settings/keys/new')
      const { keys } = words.settings
      await field(keys.name).fill('Vapi')
      await page.getByLabel(words.permissions['kb:write']).check()
      await page.getByLabel(words.permissions['kb:read']).uncheck()
      await field(keys.expiry).selectOption('30')
      await page.context().clearCookies()
      await click(keys.submit)
      await signInAgain()
      expect(await field(keys.name).inputValue()).toBe('Vapi')
      expect(await page.getByLabel(words.permissions['kb:write']).isChecked()).toBe(true)
      expect(await page.getByLabel(words.permissions['kb:read']).isChecked()).toBe(false)
      expect(await field(keys.expiry).inputValue()).toBe('30')
    })
  },
)
