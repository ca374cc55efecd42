import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../../infra/admin/people.ts'
import { hashKey } from '../../shared/http/api-keys.ts'
import { storeQuestions } from '../support/documents/asked-questions.ts'
import { cuecardJson } from '../support/tools/command-line.ts'
import { newMail, settings, usePeople } from './people.ts'
import type { Browser } from './support.ts'

const { stand, browser, organization, ask, follow, isIn, invited, membersOf } = usePeople()

async function newKey(owner: Browser, name: string): Promise<string> {
  const made = await owner.post(`${settings}/keys/new`, { name, permissions: 'kb:read', days: '30' })
  return /cue_\w+/.exec(made.html)![0]
}

/** The values of the boxes that are checked from the start. */
const checkedIn = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`name="${name}" value="([^"]+)" checked`, 'g'))].map(([, value]) => value!)

describe('members', () => {
  test('may do what their role permits, are signed out at once when they are removed, and stay named in the history', async () => {
    const { organizationId, agentId, as } = await organization()
    const [owner, editor, viewer] = [await as(), await as('editor'), await as('viewer')]
    const write = (from: Browser) =>
      from.post(`/dashboard/agents/${agentId}/documents/new`, { title: 'Hours', content: 'Nine to five.' })
    expect((await write(viewer.browser)).text).toContain('Your role doesn’t allow this')
    const { headers } = await write(editor.browser)
    await stand.deliver()
    expect((await editor.browser.get(settings)).html).not.toContain(`${settings}/keys/new`)
    expect((await owner.browser.get(`${settings}/people/${editor.id}`)).text).toContain('What they wrote stays')
    await owner.browser.submit(`${settings}/people/${editor.id}/remove`)
    const history = await viewer.browser.get(`${headers.location!.split('?')[0]}/history`)
    expect(history.text).toContain(`by ${editor.mail}`)

    expect(await isIn(editor.browser)).toBe(false)
    expect((await ask(browser(), editor.mail)).link).toBeUndefined()
    const { link } = await invited(owner.browser, editor.mail, 'viewer')
    await browser().submit(link!)
    expect(await isIn(editor.browser)).toBe(false)
    const member = { gone: false, role: 'viewer' }
    expect(await membersOf(organizationId)).toEqual([{ ...member, role: 'owner' }, member, member])
  })

  test('who view read callers’ questions only where an owner allows it', async () => {
    const { organizationId, agentId, as } = await organization()
    const [owner, viewer] = [await as(), await as('viewer')]
    await storeQuestions(stand, { organizationId, agentId }, { question: 'parrots?', call_id: 'call' })
    const agent = `/dashboard/agents/${agentId}`
    const pages = [`${agent}/questions`, `${agent}/call?id=call`]
    const switchTo = (on: boolean) => owner.browser.submit(`${settings}/viewers-questions`, { on: `${on}` })
    for (const path of pages) expect((await viewer.browser.get(path)).status).toBe(403)
    expect((await viewer.browser.get(`${agent}/ask`)).html).not.toContain(`${agent}/questions`)
    await switchTo(true)
    expect((await viewer.browser.get(`${agent}/ask`)).html).toContain(`${agent}/questions`)
    for (const path of pages) {
      const { html, text } = await viewer.browser.get(path)
      expect(text).toContain('“parrots?” Nothing found')
      expect(html).not.toMatch(/method="post" action="[^"]*questions|documents\/new|questions\/clear/)
    }
    expect((await viewer.browser.post(`${agent}/questions/clear`)).status).toBe(403)
    await switchTo(false)
    expect((await viewer.browser.get(pages[0]!)).status).toBe(403)
  })

  test('who own an organization are named as the makers of keys, which are revoked with their invitations when they are removed', async () => {
    const { organizationId, agentId, as } = await organization()
    const [first, second] = [await as(), await as()]
    const key = await newKey(second.browser, 'Phone')
    const other = await newKey(first.browser, 'Website')
    const made = await cuecardJson('key', 'list', '--organization', organizationId)
    const { id } = made.data.find(({ name }: { name: string }) => name === 'Phone')
    expect(made.data).toContainEqual(
      expect.objectContaining({ id, created_by_person: second.id, creator: second.mail }),
    )
    // What the key has created, as whoever signs in with it could.
    const offspring = await stand.tenant().then(({ apiKey }) => apiKey)
    await sql`update api_keys set organization_id = ${organizationId}, created_by = ${id}, name = 'Offspring'
      where key_hash = ${hashKey(offspring)}`.execute(stand.db)
    const { link } = await invited(second.browser, newMail())
    const kept = await invited(first.browser, newMail())
    expect((await first.browser.get(settings)).text).toMatch(
      new RegExp(`Phone .*by ${second.mail}.* Offspring .*by Phone`),
    )

    const page = await first.browser.get(`${settings}/people/${second.id}`)
    expect(page.text).toMatch(/Revoke, too Keys: Phone, Offspring Invitations: \S+@example.com What/)
    await first.browser.submit(`${settings}/people/${second.id}/remove`, { revoke: checkedIn(page.html, 'revoke') })
    const statusOf = async (apiKey: string) =>
      (await stand.http('GET', `/v1/agents/${agentId}`, undefined, { 'x-api-key': apiKey })).status
    expect(await Promise.all([key, offspring, other].map(statusOf))).toEqual([401, 401, 200])
    expect((await browser().post(link!)).status).toBe(404)
    expect((await browser().post(kept.link!)).status).toBe(303)
    expect((await first.browser.get(settings)).text).toMatch(new RegExp(`Phone .*by ${second.mail} · revoked`))
  })

  test('who are removed leave the keys and invitations that are not to be revoked, and make no more', async () => {
    const { agentId, as } = await organization()
    const [first, second, third] = [await as(), await as(), await as()]
    const key = await newKey(second.browser, 'Phone')
    const { link } = await invited(second.browser, newMail())
    const page = await first.browser.get(`${settings}/people/${third.id}`)
    expect(page.text).not.toContain('Revoke')
    await first.browser.submit(`${settings}/people/${second.id}/remove`)
    expect((await stand.http('GET', `/v1/agents/${agentId}`, undefined, { 'x-api-key': key })).status).toBe(200)
    expect((await browser().post(link!)).status).toBe(303)
    await Promise.all([
      newKey(third.browser, 'Late').catch(() => undefined),
      invited(third.browser, newMail()),
      first.browser.submit(`${settings}/people/${third.id}/remove`, { revoke: ['keys', 'invitations'] }),
    ])
    const { text } = await first.browser.get(settings)
    expect(text).not.toMatch(/Late .*(doesn’t expire|expires)|Editor · invited/)
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
    expect((await mine.get(headers.location!)).text).toContain('Crust & Crumb')
    const chosen = await mine.post('/dashboard/organizations', { organization: two.organizationId, to: settings })
    expect(chosen.headers.location).toBe(settings)
    expect((await mine.get(`/dashboard/agents/${two.agentId}/documents`)).status).toBe(200)
    expect((await mine.get(`/dashboard/agents/${one.agentId}/documents`)).status).toBe(404)
    expect((await mine.post('/dashboard/organizations', { organization: foreign.organizationId })).status).toBe(404)
  })

  test('get another role with their next request, and leave a record of every change, without mail addresses', async () => {
    const { organizationId, as } = await organization()
    const [owner, theirs, mail] = [await as(), browser(), newMail()]
    const { link } = await invited(owner.browser, mail)
    await theirs.submit(link!)
    const { rows: people } = await sql<{ id: string }>`select id from people where mail = ${mail}`.execute(stand.db)
    const mayInvite = async () => (await theirs.get(`${settings}/people/new`)).status === 200
    expect(await mayInvite()).toBe(false)
    await owner.browser.submit(`${settings}/people/${people[0]!.id}`, { role: 'owner' })
    expect(await mayInvite()).toBe(true)
    await owner.browser.submit(`${settings}/people/${people[0]!.id}/remove`)
    const { rows } = await sql`select person, command, arguments[1:2] as args, outcome from operator_actions
      where organization_id = ${organizationId} order by id`.execute(stand.db)
    expect(rows).toEqual([
      { person: owner.id, command: 'person invite', args: ['editor', expect.any(String)], outcome: 'done' },
      { person: people[0]!.id, command: 'person accept', args: ['editor'], outcome: 'done' },
      { person: owner.id, command: 'person role', args: [people[0]!.id, 'owner'], outcome: 'done' },
      { person: owner.id, command: 'person remove', args: [people[0]!.id], outcome: 'done' },
    ])
  })
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
  const { rows } = await sql`select arguments from operator_actions
    where organization_id = ${organizationId}`.execute(stand.db)
  expect(rows).toEqual([{ arguments: ['--organization', organizationId, '--mail', '…'] }])
})
