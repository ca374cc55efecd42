import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../../../infra/admin/people.ts'
import { newId, type OrganizationId } from '../../../shared/ids.ts'
import { useGateway } from '../../support/stand/gateway.ts'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'

describe.runIf(executablePath)('a team in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const stand = useStand()
  const gateway = useGateway(stand)
  const chromium = useChromium()

  test('an owner invites, an editor accepts and edits, a viewer cannot edit, and a removed member is signed out', async () => {
    const { organizationId, agentId } = await stand.tenant()
    const [owner, editor, viewer] = ['owner', 'editor', 'viewer'].map((name) => `${name}-${newId()}@example.com`)
    await addPerson(stand.db, { organization: organizationId as OrganizationId, mail: owner!, role: 'owner' })
    const wrong: string[][] = []
    const opened = async (options = {}) => {
      const page = await (await chromium.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage()
      wrong.push(watched(page))
      return page
    }
    const linkTo = (mail: string) =>
      /http:\S+/.exec(stand.emulator.mails.findLast(({ to }) => to.includes(mail))!.text)![0]
    const faultless = async (page: Page) => expect(await axeFindings(page)).toEqual([])
    const documents = `${gateway.origin}/dashboard/agents/${agentId}/documents`

    const own = await opened()
    await own.goto(documents)
    await faultless(own)
    await own.getByLabel('Mail address').fill(owner!)
    await own.getByRole('button', { name: 'Send link' }).click()
    await own.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await faultless(own)
    await own.goto(linkTo(owner!))
    await faultless(own)
    await own.getByRole('button', { name: 'Sign in' }).click()
    await own.waitForURL(documents)

    const invite = async (mail: string, role: string) => {
      await own.getByRole('link', { name: 'Settings', exact: true }).click()
      await own.getByRole('link', { name: 'Invite' }).click()
      await own.getByLabel('Mail address').fill(mail)
      await own.getByLabel('Role').selectOption(role)
      await faultless(own)
      await own.getByRole('button', { name: 'Send invitation' }).click()
      await own.locator('#flash').getByText(`An invitation was sent to ${mail}.`).waitFor()
      await faultless(own)
    }
    const accept = async (mail: string, options = {}) => {
      const page = await opened(options)
      await page.goto(linkTo(mail))
      await faultless(page)
      await page.getByRole('button', { name: 'Accept' }).click()
      await page.getByRole('heading', { name: 'Agents' }).waitFor()
      return page
    }
    await invite(editor!, 'Editor')
    const edits = await accept(editor!, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    await edits.goto(`${documents}/new`)
    await edits.getByLabel('Title').fill('Hours')
    await edits.locator('textarea').first().fill('We are open from nine to five.')
    await edits.getByRole('button', { name: 'Save' }).click()
    await edits.locator('#flash').getByText('“Hours” was saved.').waitFor()

    await invite(viewer!, 'Viewer')
    const reads = await accept(viewer!)
    await reads.goto(documents)
    await reads.getByRole('link', { name: 'Hours' }).waitFor()
    await reads.goto(`${documents}/new`)
    await reads.getByText('Your role doesn’t allow this').waitFor()

    await own.getByRole('link', { name: `Change ${editor}` }).click()
    await own.getByText('Remove', { exact: true }).first().click()
    await faultless(own)
    await own.getByRole('button', { name: 'Remove' }).click()
    await own.locator('#flash').getByText('The person was removed').waitFor()
    const removed = performance.now()
    // The page, which updates itself, may be on its way there.
    await edits.goto(documents).catch(({ message }) => expect(message).toContain('/dashboard/sign-in'))
    await edits.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(performance.now() - removed).toBeLessThan(30_000)
    expect(wrong.flat().filter((each) => !/40[13]/.test(each))).toEqual([])
  })
})
