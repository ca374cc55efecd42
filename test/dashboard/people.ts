import { sql } from 'kysely'
import { addPerson } from '../../infra/admin/people.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import type { Role } from '../../shared/organizations/permissions.ts'
import { type Browser, useDashboard } from './support.ts'

export const path = '/dashboard/sign-in'
export const settings = '/dashboard/settings'
export const newMail = () => `${newId()}@example.com`

/** A dashboard whose people sign in by links in mails. */
export function usePeople() {
  const { stand, browser, member } = useDashboard()

  async function organization() {
    const { organizationId, agentId } = await stand.tenant()
    const as = (role?: Role, mail?: string) => member({ organizationId }, role, mail)
    return { organizationId: organizationId as OrganizationId, agentId, as }
  }

  /** Makes somebody a viewer of a new organization, who has not signed in. @returns the mail address */
  async function newViewer(mail = newMail()): Promise<string> {
    const { organizationId } = await organization()
    await addPerson(stand.db, { organization: organizationId, mail, role: 'viewer' })
    return mail
  }

  /** The path of the link in the newest mail to the address; undefined without a mail. */
  function linkTo(mail: string): string | undefined {
    const sent = stand.emulator.mails.findLast(({ to }) => to.includes(mail.trim().toLowerCase()))
    return sent && /https:\/\/app\.example\.com(\S+)/.exec(sent.text)![1]
  }

  async function ask(from: Browser, mail: string, to = '') {
    const answer = await from.post(`${path}/mail`, { mail, to })
    return { answer, link: linkTo(mail) }
  }

  const tokenOf = (link: string) => Object.fromEntries(new URL(link, 'https://app.example.com').searchParams)
  const follow = (from: Browser, link: string) => from.post(`${path}/link`, tokenOf(link))
  const isIn = async (from: Browser) => (await from.get('/dashboard')).status === 200

  async function invited(by: Browser, mail: string, role: Role = 'editor') {
    const answer = await by.post(`${settings}/people/new`, { mail, role })
    return { answer, link: linkTo(mail) }
  }

  async function membersOf(organizationId: string) {
    const { rows } = await sql`select role, removed_at is not null as gone from memberships
      where organization_id = ${organizationId} order by created_at, role`.execute(stand.db)
    return rows
  }

  return { stand, browser, organization, newViewer, ask, follow, isIn, invited, membersOf }
}
