import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../../infra/admin/people.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import type { Role } from '../../shared/permissions.ts'
import { cuecardJson } from '../support/tools/command-line.ts'
import { type Browser, signInAsPerson, useDashboard } from './support.ts'

const { stand, browser } = useDashboard()
const path = '/dashboard/sign-in'
const settings = '/dashboard/settings'
const newMail = () => `${newId()}@example.com`

async function organization() {
  const { organizationId, agentId } = await stand.tenant()
  const as = (role?: Role, mail?: string) => signInAsPerson(browser(), stand.db, organizationId, role, mail)
  return { organizationId: organizationId as OrganizationId, agentId, as }
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

const membersOf = async (organizationId: string) =>
  (
    await sql`select role, removed_at is not null as gone from memberships where organization_id = ${organizationId} order by created_at, role`.execute(
      stand.db,
    )
  ).rows

describe('a link in a mail', () => {
  test('signs a member in, once, and leads to the requested screen', async () => {
    const { organizationId, agentId } = await organization()
    const [mine, mail] = [browser(), newMail()]
    await addPerson(stand.db, { organization: organizationId, mail, role: 'viewer' })
    const { answer, link } = await ask(mine, ` ${mail.toUpperCase()} `, `/dashboard/agents/${agentId}/documents`)
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('a link is on its way') })
    expect((await mine.get(link!)).html).toContain('<button autofocus>Sign in</button>')
    expect(await follow(mine, link!)).toMatchObject({
      status: 303,
      headers: { location: `/dashboard/agents/${agentId}/documents` },
    })
    expect(await isIn(mine)).toBe(true)
    const again = await follow(mine, link!)
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('It has been used')])
  })

  test('is not used up by a scanner that opens it or sends its form, and does not work in another browser', async () => {
    const { organizationId } = await organization()
    const [mine, scanner, mail] = [browser(), browser(), newMail()]
    await addPerson(stand.db, { organization: organizationId, mail, role: 'viewer' })
    const { link } = await ask(mine, mail)
    await scanner.get(link!)
    await mine.get(link!)
    const opened = await scanner.get(link!)
    expect(opened.text).toContain('in the browser in which you asked')
    expect((await follow(scanner, link!)).status).toBe(422)
    await ask(scanner, newMail())
    expect((await follow(scanner, link!)).status).toBe(422)
    expect((await follow(mine, link!)).status).toBe(303)
  })

  test('works for 15 minutes', async () => {
    const { organizationId } = await organization()
    const [mine, mail] = [browser(), newMail()]
    await addPerson(stand.db, { organization: organizationId, mail, role: 'viewer' })
    const { link } = await ask(mine, mail)
    await sql`update sign_in_links set created_at = now() - interval '15 minutes' where mail = ${mail}`.execute(
      stand.db,
    )
    expect((await follow(mine, link!)).status).toBe(422)
  })

  test('is sent to members only, and the answer is the same for everybody', async () => {
    const { organizationId } = await organization()
    const [known, unknown, removed] = [newMail(), newMail(), newMail()]
    const { id } = await addPerson(stand.db, { organization: organizationId, mail: removed, role: 'viewer' })
    await sql`update memberships set removed_at = now() where person_id = ${id}`.execute(stand.db)
    await addPerson(stand.db, { organization: organizationId, mail: known, role: 'viewer' })
    const answers = []
    for (const mail of [known, unknown, removed]) {
      const { answer, link } = await ask(browser(), mail)
      expect(link !== undefined).toBe(mail === known)
      answers.push([answer.status, answer.html.replaceAll(mail, ''), answer.cookies[0]!.replace(/=[\w-]{43}/, '=')])
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  test('is mailed to one address five times an hour, and asked for from one network twenty times in ten minutes', async () => {
    const { organizationId } = await organization()
    const mail = newMail()
    await addPerson(stand.db, { organization: organizationId, mail, role: 'viewer' })
    const links = new Set<string | undefined>()
    for (let i = 0; i < 7; i++) links.add((await ask(browser('198.51.100.7'), mail)).link)
    expect(links.size).toBe(5)
    const from = browser('198.51.100.8')
    const statuses = await Promise.all(
      Array.from({ length: 22 }, async () => (await ask(from, newMail())).answer.status),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })

  test.each(['', 'anna', 'anna@', `${'a'.repeat(250)}@example.com`, 'a@example.com\nBcc: b@example.com'])(
    'is not asked for with the address %j',
    async (mail) => {
      const { status, text } = await browser().post(`${path}/mail`, { mail })
      expect(status).toBe(422)
      expect(text).toMatch(/mail address/)
    },
  )
})

describe('an invitation', () => {
  test('makes the person who accepts it a member with its role, once', async () => {
    const { organizationId, as } = await organization()
    const owner = await as()
    const [theirs, mail] = [browser(), newMail()]
    const { answer, link } = await invited(owner.browser, mail)
    expect(answer.status).toBe(303)
    expect((await owner.browser.get(settings)).text).toMatch(`${mail} Editor · invited, until`)
    expect((await browser().get(link!)).text).toContain('Join Test')
    expect(await isIn(theirs)).toBe(false)
    expect((await theirs.submit(link!)).status).toBe(200)
    expect(await membersOf(organizationId)).toEqual([
      { role: 'owner', gone: false },
      { role: 'editor', gone: false },
    ])
    const late = browser()
    expect((await late.post(link!)).status).toBe(404)
    expect((await late.get(link!)).text).toContain('This invitation has ended')
    expect(await isIn(late)).toBe(false)
  })

  test('ends after seven days, when it is withdrawn, and when another takes its place', async () => {
    const { as } = await organization()
    const owner = await as()
    const [late, withdrawn, twice] = [newMail(), newMail(), newMail()]
    const links = [
      await invited(owner.browser, late),
      await invited(owner.browser, withdrawn),
      await invited(owner.browser, twice),
    ]
    await sql`update invitations set expires_at = expires_at - interval '7 days' where mail = ${late}`.execute(stand.db)
    const { rows } = await sql<{ id: string }>`select id from invitations where mail = ${withdrawn}`.execute(stand.db)
    expect((await owner.browser.get(`${settings}/people/${rows[0]!.id}`)).text).toContain('Withdraw invitation')
    await owner.browser.submit(`${settings}/people/${rows[0]!.id}/withdraw`)
    expect((await invited(owner.browser, twice)).answer.text).toContain('Too many invitations')
    await sql`update invitations set created_at = created_at - interval '5 minutes' where mail = ${twice}`.execute(
      stand.db,
    )
    const { link } = await invited(owner.browser, twice, 'viewer')
    for (const { link } of links) expect((await browser().post(link!)).status).toBe(404)
    expect((await browser().post(link!)).status).toBe(303)
  })

  test('cannot be accepted by a person signed in with another address', async () => {
    const { as } = await organization()
    const owner = await as()
    const mail = newMail()
    const { link } = await invited(owner.browser, mail)
    const answer = await owner.browser.post(link!)
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('for somebody else')])
    expect((await browser().post(link!)).status).toBe(303)
  })

  test('is refused for a member, for an invalid address, and above fifty a day', async () => {
    const { organizationId, as } = await organization()
    const owner = await as()
    const member = await invited(owner.browser, owner.mail)
    expect([member.answer.status, member.answer.text]).toEqual([422, expect.stringContaining('already here')])
    expect((await invited(owner.browser, 'anna')).answer.status).toBe(422)
    await sql`insert into operator_actions (id, person, command, arguments, organization_id)
      select gen_random_uuid(), '', 'person invite', '{}', ${organizationId} from generate_series(1, 50)`.execute(
      stand.db,
    )
    const { answer } = await invited(owner.browser, newMail())
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('Too many invitations')])
  })
})

describe('members', () => {
  test('may do what their role permits, and the document’s history shows their address', async () => {
    const { agentId, as } = await organization()
    const [editor, viewer] = [await as('editor'), await as('viewer')]
    const write = (from: Browser) =>
      from.post(`/dashboard/agents/${agentId}/documents/new`, { title: 'Hours', content: 'Nine to five.' })
    expect(await write(viewer.browser)).toMatchObject({
      status: 403,
      text: expect.stringContaining('Your role doesn’t allow this'),
    })
    const { headers } = await write(editor.browser)
    await stand.deliver()
    const history = await viewer.browser.get(`${headers.location!.split('?')[0]}/history`)
    expect(history.text).toContain(`by ${editor.mail}`)
    expect((await editor.browser.get(settings)).html).not.toContain(`${settings}/keys/new`)
    expect((await editor.browser.post(`${settings}/people/new`, { mail: newMail(), role: 'viewer' })).status).toBe(403)
  })

  test('are signed out at once when they are removed, and stay named in the history', async () => {
    const { organizationId, as } = await organization()
    const [owner, editor] = [await as(), await as('editor')]
    expect(await isIn(editor.browser)).toBe(true)
    expect((await owner.browser.get(`${settings}/people/${editor.id}`)).text).toContain('What they wrote stays')
    await owner.browser.submit(`${settings}/people/${editor.id}/remove`)
    expect(await isIn(editor.browser)).toBe(false)
    expect((await ask(browser(), editor.mail)).link).toBeUndefined()
    const { link } = await invited(owner.browser, editor.mail, 'viewer')
    await browser().submit(link!)
    expect(await isIn(editor.browser)).toBe(false)
    expect(await membersOf(organizationId)).toEqual([
      { role: 'owner', gone: false },
      { role: 'viewer', gone: false },
    ])
  })

  test('who own an organization make keys, which outlast them', async () => {
    const { agentId, as } = await organization()
    const [first, second] = [await as(), await as()]
    const form = (await second.browser.get(`${settings}/keys/new`)).html
    const id = /name="id" value="([^"]+)"/.exec(form)![1]!
    const made = await second.browser.post(`${settings}/keys/new`, {
      id,
      name: 'Phone',
      permissions: 'kb:read',
      days: '30',
    })
    const key = /cue_\w+/.exec(made.html)![0]
    await first.browser.submit(`${settings}/people/${second.id}/remove`)
    expect((await stand.http('GET', `/v1/agents/${agentId}`, undefined, { 'x-api-key': key })).status).toBe(200)
  })

  test('change their role with the next request', async () => {
    const { as } = await organization()
    const [owner, viewer] = [await as(), await as('viewer')]
    expect((await viewer.browser.get(`${settings}/people/new`)).status).toBe(403)
    await owner.browser.submit(`${settings}/people/${viewer.id}`, { role: 'owner' })
    expect((await viewer.browser.get(`${settings}/people/new`)).status).toBe(200)
  })

  test('keep an owner: the last one is neither removed nor demoted, even if two remove each other', async () => {
    const { organizationId, as } = await organization()
    const owner = await as()
    for (const [action, fields] of [
      ['/remove', {}],
      ['', { role: 'viewer' }],
    ] as const) {
      const { text } = await owner.browser.submit(`${settings}/people/${owner.id}${action}`, fields)
      expect(text).toContain('an organization needs an owner')
    }
    const other = await as()
    await Promise.all([
      owner.browser.post(`${settings}/people/${other.id}/remove`),
      other.browser.post(`${settings}/people/${owner.id}/remove`),
    ])
    const left = (await membersOf(organizationId)).filter((member) => !(member as { gone: boolean }).gone)
    expect(left).toHaveLength(1)
  })

  test('of several organizations choose one, and see only that', async () => {
    const [one, two, foreign] = [await organization(), await organization(), await organization()]
    await sql`update organizations set name = 'Crust & Crumb' where id = ${two.organizationId}`.execute(stand.db)
    const mail = newMail()
    const mine = browser()
    for (const { organizationId } of [one, two])
      await addPerson(stand.db, { organization: organizationId, mail, role: 'editor' })
    const { link } = await ask(mine, mail, settings)
    const { headers } = await follow(mine, link!)
    expect(headers.location).toBe(`/dashboard/organizations?to=${encodeURIComponent(settings)}`)
    const choice = await mine.get(headers.location!)
    expect(choice.text).toMatch(/Crust &amp;? ?Crumb|Crust & Crumb/)
    const chosen = await mine.post('/dashboard/organizations', { organization: two.organizationId, to: settings })
    expect(chosen.headers.location).toBe(settings)
    expect((await mine.get(`/dashboard/agents/${two.agentId}/documents`)).status).toBe(200)
    expect((await mine.get(`/dashboard/agents/${one.agentId}/documents`)).status).toBe(404)
    expect((await mine.post('/dashboard/organizations', { organization: foreign.organizationId })).status).toBe(404)
  })

  test('leave a record of every change, without addresses', async () => {
    const { organizationId, as } = await organization()
    const owner = await as()
    const mail = newMail()
    const { link } = await invited(owner.browser, mail)
    await browser().submit(link!)
    const { rows: people } = await sql<{ id: string }>`select id from people where mail = ${mail}`.execute(stand.db)
    await owner.browser.submit(`${settings}/people/${people[0]!.id}`, { role: 'viewer' })
    await owner.browser.submit(`${settings}/people/${people[0]!.id}/remove`)
    const { rows } = await sql`select person, command, arguments[1:2] as args, outcome from operator_actions
      where organization_id = ${organizationId} order by id`.execute(stand.db)
    expect(rows).toEqual([
      { person: owner.id, command: 'person invite', args: ['editor', expect.any(String)], outcome: 'done' },
      { person: people[0]!.id, command: 'person accept', args: ['editor'], outcome: 'done' },
      { person: owner.id, command: 'person role', args: [people[0]!.id, 'viewer'], outcome: 'done' },
      { person: owner.id, command: 'person remove', args: [people[0]!.id], outcome: 'done' },
    ])
  })
})

test('the sweeper deletes links after an hour, and invitations that have ended', async () => {
  await stand.sweep()
  const { as } = await organization()
  const owner = await as()
  const [late, open] = [newMail(), newMail()]
  for (const mail of [late, open]) {
    await ask(browser(), mail)
    await invited(owner.browser, mail)
  }
  await sql`update sign_in_links set created_at = now() - interval '1 hour' where mail = ${late}`.execute(stand.db)
  await sql`update invitations set expires_at = now() where mail = ${late}`.execute(stand.db)
  expect(await stand.sweep()).toMatchObject({ links_purged: 1, invitations_purged: 1 })
  const { rows } = await sql`select mail from sign_in_links where mail in (${late}, ${open})
    union all select mail from invitations where mail in (${late}, ${open})`.execute(stand.db)
  expect(rows).toEqual([{ mail: open }, { mail: open }])
})

test('an operator adds the first owner, who signs in by mail, and the record holds no address', async () => {
  const { organizationId } = await stand.tenant()
  const [mine, mail] = [browser(), newMail()]
  const added = await cuecardJson('person', 'add', '--organization', organizationId, '--mail', mail.toUpperCase())
  expect(added).toEqual({ id: expect.any(String), organization_id: organizationId, role: 'owner' })
  const { data } = await cuecardJson('person', 'list', '--organization', organizationId)
  expect(data).toMatchObject([{ id: added.id, mail, role: 'owner', removed_at: null }])
  const { link } = await ask(mine, mail)
  await follow(mine, link!)
  expect((await mine.get(`${settings}/people/new`)).status).toBe(200)
  const { rows } = await sql`select arguments from operator_actions where organization_id = ${organizationId}`.execute(
    stand.db,
  )
  expect(rows).toEqual([{ arguments: ['--organization', organizationId, '--mail', '…'] }])
})
