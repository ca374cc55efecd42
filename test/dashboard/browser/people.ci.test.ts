import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../../../infra/admin/people.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { newMail } from '../people.ts'
import { useSignedIn } from './signed-in.ts'

describe.runIf(executablePath)('a team in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const stand = useStand()
  const { visit } = useSignedIn(stand)

  test('an owner signs in by a link, and invites an editor, who accepts on a phone', async () => {
    const { organizationId, agentId } = await stand.tenant()
    const [owner, editor] = [newMail(), newMail()]
    await addPerson(stand.db, { organization: organizationId as OrganizationId, mail: owner, role: 'owner' })
    const linkTo = (mail: string) =>
      /http:\/\/[^/]+(\S+)/.exec(stand.emulator.mails.findLast(({ to }) => to.includes(mail))!.text)![1]!
    const faultless = async (page: Page) => expect(await axeFindings(page)).toEqual([])
    const documents = `/dashboard/agents/${agentId}/documents`

    const { page: own, go, ...watched } = await visit(documents)
    await faultless(own)
    await own.getByLabel('Mail address').fill(owner)
    await own.getByRole('button', { name: 'Send link' }).click()
    await own.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await faultless(own)
    await go(linkTo(owner))
    await faultless(own)
    await own.getByRole('button', { name: 'Sign in' }).click()
    await own.waitForURL(`**${documents}`)

    await go('/dashboard/settings/people/new')
    await own.getByLabel('Mail address').fill(editor)
    await own.getByLabel('Role').selectOption('Editor')
    await faultless(own)
    await own.getByRole('button', { name: 'Send invitation' }).click()
    await own.locator('#flash').getByText(`An invitation was sent to ${editor}.`).waitFor()
    await faultless(own)
    const size = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
    const { page: phone, wrong } = await visit(linkTo(editor), size)
    await faultless(phone)
    await phone.getByRole('button', { name: 'Accept' }).tap()
    await phone.getByRole('heading', { name: 'Agents' }).waitFor()

    await own.reload()
    await own.getByRole('link', { name: `Change ${editor}` }).click()
    await own.getByText('Remove', { exact: true }).first().click()
    await faultless(own)
    expect([...watched.wrong, ...wrong]).toEqual([])
  })
})
