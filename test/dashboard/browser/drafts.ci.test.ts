import { describe, expect, test } from 'vitest'
import { permissionNames } from '../../../functions/dashboard/permission-names.ts'
import { type Tenant, useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { shortcomings } from '../shortcomings.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('a form sent after its session (needs chromium, or CHROMIUM with its path)', () => {
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
        await page.getByLabel('Access key').fill('cue_mistyped')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByText('This key is incomplete. Copy it again, from cue_ to its last character.').waitFor()
        await page.getByLabel('Access key').fill(tenant.apiKey)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page
          .locator('#flash')
          .getByText('You were signed out before this was saved. What you typed is back: save it again.')
          .waitFor()
      },
    }
  }

  test('is filled in again after signing in, is saved once, and is in no address', async () => {
    const { tenant, page, field, click, signInAgain } = await openForm(
      ({ agentId }) => `/dashboard/agents/${agentId}/documents/new?question=Hours`,
    )
    await field('Title').pressSequentially('Open')
    const warned = page.waitForEvent('dialog')
    const left = page.goto(page.url().replace(/\/new.*/, '')).catch(() => {})
    const dialog = await warned
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await left
    const typed = 'We open at 9.\n\n"<b>Closed</b>" on Sunday.'
    await field('Title').fill('Opening hours')
    await field('Text').fill(typed)
    await page.context().clearCookies()
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await click('Save text')
    await signInAgain()
    expect([await field('Title').inputValue(), await field('Text').inputValue()]).toEqual(['Opening hours', typed])
    expect(addresses.filter((address) => address.includes('Closed') || address.includes('Opening'))).toEqual([])
    await click('Save text')
    await page.locator('#flash').getByText('“Opening hours” was saved.').waitFor()
    await page.goBack()
    await page.reload()
    expect(await field('Text').inputValue()).toBe('')
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
  })

  test('keeps a table as a grid, and does not replace what somebody else has saved since', async () => {
    let id = ''
    const { tenant, page, click, signInAgain } = await openForm(async ({ agentId, call, knowledgeBase }) => {
      const { body } = await call('POST', knowledgeBase, {
        title: 'Hours',
        content: 'We open at 9.\n\n|Day|\n|-|\n|Monday|',
      })
      id = body.id
      return `/dashboard/agents/${agentId}/documents/${id}/edit`
    })
    await page.getByLabel('Day, row 1').fill('Sunday')
    await page.context().clearCookies()
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: 'We open at 7.' })
    await click('Save')
    await signInAgain()
    expect(await page.getByLabel('Day, row 1').inputValue()).toBe('Sunday')
    await click('Save')
    await page.getByText('Somebody else has changed this document while you were editing it.').waitFor()
    expect(await shortcomings(page, 1280)).toEqual([])
    expect(await page.getByLabel('Day, row 1').inputValue()).toBe('Sunday')
    await click('Save')
    await page.locator('#flash').getByText('“Hours” was saved.').waitFor()
    const { body } = await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)
    expect(body.content).toBe('We open at 9.\n\n|Day|\n|-|\n|Sunday|')
  })

  test('is also kept for a new key, with the chosen options', async () => {
    const { page, field, click, signInAgain } = await openForm(() => '/dashboard/settings/keys/new')
    await field('Name').fill('Vapi')
    await page.getByLabel(permissionNames['kb:write']).check()
    await page.getByLabel(permissionNames['kb:read']).uncheck()
    await field('Expires after').selectOption('30')
    await page.context().clearCookies()
    await click('Create key')
    await signInAgain()
    expect(await field('Name').inputValue()).toBe('Vapi')
    expect(await page.getByLabel(permissionNames['kb:write']).isChecked()).toBe(true)
    expect(await page.getByLabel(permissionNames['kb:read']).isChecked()).toBe(false)
    expect(await field('Expires after').inputValue()).toBe('30')
  })
})
