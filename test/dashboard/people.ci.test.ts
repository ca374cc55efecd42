import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Mail } from '../../shared/aws/mail.ts'
import { newMail, path, settings, usePeople } from './people.ts'
import { browserOf, expectFault } from './support.ts'

const { stand, browser, organization, newViewer, ask, follow, isIn, invited, membersOf } = usePeople()

/** The answers of requests that are sent at once, which spares their waits. */
const several = <T>(count: number, send: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => send(i)))

const mailsTo = (mail: string) => stand.emulator.mails.filter(({ to }) => to.includes(mail)).length

describe('a link in a mail', () => {
  test('signs a member in, once and within 15 minutes, and leads to the requested screen', async () => {
    const [mine, mail, to] = [browser(), await newViewer(), '/dashboard/settings']
    const { answer, link } = await ask(mine, ` ${mail.toUpperCase()} `, to)
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('a link is on its way') })
    expect((await mine.get(link!)).html).toContain('<button autofocus>Sign in</button>')
    expect(await follow(mine, link!)).toMatchObject({ status: 303, headers: { location: to } })
    expect(await isIn(mine)).toBe(true)
    const late = (await ask(mine, mail)).link!
    await sql`update sign_in_links set created_at = now() - interval '15 minutes'
      where mail = ${mail}`.execute(stand.db)
    for (const each of [link!, late]) {
      const again = await follow(mine, each)
      expect([again.status, again.text]).toEqual([422, expect.stringContaining('This link was used or has expired')])
    }
  })

  test('is not used up by a scanner that opens it or sends its form, and does not work in another browser', async () => {
    const [mine, scanner, mail] = [browser(), browser(), await newViewer()]
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

  test('is sent to members only, and the answer is the same for everybody', async () => {
    const [known, unknown, removed] = [await newViewer(), newMail(), await newViewer()]
    await sql`update memberships set removed_at = now()
      where person_id in (select id from people where mail = ${removed})`.execute(stand.db)
    const answers = []
    for (const mail of [known, unknown, removed]) {
      const { answer, link } = await ask(browser(), mail)
      expect(link !== undefined).toBe(mail === known)
      answers.push([answer.status, answer.html.replaceAll(mail, ''), answer.cookies[0]!.replace(/=[\w-]{43}/, '=')])
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  test('is mailed five times an hour to an address that one network asks for, and twenty times to one that all ask for', async () => {
    const [mail, unknown] = [await newViewer(), newMail()]
    const answers = []
    for (const address of [mail, unknown]) {
      await several(5, () => ask(browser('198.51.100.7'), address))
      const { status, text, headers } = (await ask(browser('198.51.100.7'), address)).answer
      expect(text).toContain('No link was sent: too many were asked for. Try again in 60 minutes.')
      expect(text).not.toContain('on its way')
      answers.push([status, text.replaceAll(address, ''), Number(headers['retry-after']) > 3500])
    }
    expect(answers).toEqual([answers[0], answers[0]])
    expect([mailsTo(mail), mailsTo(unknown)]).toEqual([5, 0])
    await several(15, (i) => ask(browser(`2001:db8:0:${i % 5}::${i}`), mail))
    expect(mailsTo(mail)).toBe(20)
    expect((await ask(browser('198.51.100.9'), mail)).answer.status).toBe(429)
  })

  test('is mailed to a member whose address strangers ask for: from another network, and in a browser that has used one', async () => {
    const [mail, other, mine] = [await newViewer(), await newViewer(), browser('198.51.100.20')]
    await several(6, () => ask(browser('203.0.113.1'), mail))
    await follow(mine, (await ask(mine, mail)).link!)
    expect(await isIn(mine)).toBe(true)
    mine.jar.delete('cuecard_session')
    // Strangers of many networks, that of the member among them.
    await several(25, (i) => ask(browser(i < 5 ? '198.51.100.20' : `203.0.113.${i % 5}`), mail))
    expect((await ask(browser('198.51.100.20'), mail)).answer.status).toBe(429)
    const before = mailsTo(mail)
    await several(5, () => ask(mine, mail))
    expect(mailsTo(mail) - before).toBe(5)
    expect((await ask(mine, mail)).answer.status).toBe(429)
    // Its secret is for one address.
    await several(5, () => ask(browser('198.51.100.20'), other))
    expect((await ask(mine, other)).answer.status).toBe(429)
  })

  test('is asked for twenty times in ten minutes by one network’s visitors', async () => {
    const from = browser('198.51.100.8')
    const statuses = await several(22, async () => (await ask(from, newMail())).answer.status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })

  test('is not awaited: a member whose mail is never accepted gets the answer of a stranger', async () => {
    const [mail, sent] = [await newViewer(), [] as Mail[]]
    const send = (each: Mail) => {
      sent.push(each)
      return new Promise<never>(() => {})
    }
    const [member, stranger] = [mail, newMail()].map((address) =>
      browserOf(stand, { mailer: { send } }).post(`${path}/mail`, { mail: address }),
    )
    expect((await member!).text.replace(mail, '')).toBe((await stranger!).text.replace(/\S+@example.com/, ''))
    expect(sent).toMatchObject([{ to: mail }])
  })

  test('leads to the configured origin, whatever host, origin and protocol the request names', async () => {
    const [mine, owner] = [browser(), await (await organization()).as()]
    const evil = 'evil.example'
    const foreign = { host: evil, origin: `https://${evil}`, 'x-forwarded-host': evil, forwarded: `host=${evil}` }
    const plain = { 'x-forwarded-proto': 'http', host: evil }
    for (const headers of [foreign, { ...foreign, host: 'localhost:8787' }, plain]) {
      const mail = await newViewer()
      const own = { 'sec-fetch-site': 'same-origin', ...headers }
      expect((await mine.post(`${path}/mail`, { mail }, own)).status).toBe(200)
      const guest = newMail()
      await owner.browser.post(`${settings}/people/new`, { mail: guest, role: 'viewer' }, own)
      for (const address of [mail, guest]) {
        const { text } = stand.emulator.mails.findLast(({ to }) => to.includes(address))!
        expect(text.match(/https?:\/\/[^/]+/g)).toEqual(['https://app.example.com'])
      }
    }
    const asked = await mine.post(`${path}/mail`, { mail: newMail() }, { host: evil, origin: `https://${evil}` })
    expect(asked.status).toBe(403)
  })

  test('is not sent to an invalid address, nor is an invitation', async () => {
    const owner = await (await organization()).as()
    const noAddress = 'Enter a mail address, such as anna@example.com.'
    for (const [mail, says] of [
      ...['', 'anna', 'anna@', 'a@example.com\nBcc: b@example.com'].map((each) => [each, noAddress] as const),
      [`${'a'.repeat(250)}@example.com`, 'A mail address has at most 254 characters.'] as const,
    ]) {
      expectFault(await browser().post(`${path}/mail`, { mail }), 'mail', says)
      expectFault((await invited(owner.browser, mail)).answer, 'mail', says)
    }
  })
})

describe('an invitation', () => {
  test('makes the person who accepts it a member with its role, once, but nobody who is signed in with another address', async () => {
    const { organizationId, as } = await organization()
    const owner = await as()
    const [theirs, mail] = [browser(), newMail()]
    const { answer, link } = await invited(owner.browser, mail)
    expect(answer.status).toBe(303)
    expect((await owner.browser.get(settings)).text).toMatch(`${mail} Editor · invited, until`)
    expect((await browser().get(link!)).text).toContain('Join Test')
    const other = await owner.browser.post(link!)
    expect([other.status, other.text]).toEqual([403, expect.stringContaining('for somebody else')])
    expect(await isIn(theirs)).toBe(false)
    expect((await theirs.submit(link!)).status).toBe(200)
    expect(await membersOf(organizationId)).toEqual([
      { role: 'owner', gone: false },
      { role: 'editor', gone: false },
    ])
    const late = browser()
    expect((await late.post(link!)).status).toBe(404)
    expect((await late.get(link!)).text).toContain('This invitation was used or has expired')
    expect(await isIn(late)).toBe(false)
  })

  test('ends after seven days, when it is withdrawn, and when another replaces it', async () => {
    const owner = await (await organization()).as()
    const [late, withdrawn, twice] = [newMail(), newMail(), newMail()]
    const links = []
    for (const mail of [late, withdrawn, twice]) links.push(await invited(owner.browser, mail))
    await sql`update invitations set expires_at = expires_at - interval '7 days' where mail = ${late}`.execute(stand.db)
    const { rows } = await sql<{ id: string }>`select id from invitations where mail = ${withdrawn}`.execute(stand.db)
    expect((await owner.browser.get(`${settings}/people/${rows[0]!.id}`)).text).toContain('Withdraw invitation')
    await owner.browser.submit(`${settings}/people/${rows[0]!.id}/withdraw`)
    expect((await invited(owner.browser, twice)).answer.text).toContain('invited less than five minutes ago')
    await sql`update invitations set created_at = created_at - interval '5 minutes'
      where mail = ${twice}`.execute(stand.db)
    const { link } = await invited(owner.browser, twice, 'viewer')
    for (const { link } of links) expect((await browser().post(link!)).status).toBe(404)
    expect((await browser().post(link!)).status).toBe(303)
  })

  test('is mailed once in five minutes, even if it is withdrawn meanwhile', async () => {
    const [owner, mail] = [await (await organization()).as(), newMail()]
    const mails = new Set<string | undefined>()
    for (let i = 0; i < 4; i++) {
      const { link } = await invited(owner.browser, mail)
      mails.add(link)
      const list = (await owner.browser.get(settings)).html
      const id = new RegExp(`people/([\\w-]+)" aria-label="Change ${mail}"`).exec(list)?.[1]
      if (id) await owner.browser.submit(`${settings}/people/${id}/withdraw`)
      expect((await owner.browser.get(settings)).text).not.toContain(mail)
      expect((await browser().post(link!)).status).toBe(404)
      await stand.sweep()
    }
    expect(mails.size).toBe(1)
    await sql`update invitations set created_at = created_at - interval '5 minutes' where mail = ${mail}`.execute(
      stand.db,
    )
    mails.add((await invited(owner.browser, mail)).link)
    expect(mails.size).toBe(2)
  })

  test('is refused for a member, and above fifty a day', async () => {
    const { organizationId, as } = await organization()
    const owner = await as()
    const again = await invited(owner.browser, owner.mail)
    expectFault(again.answer, 'mail', 'This person is already here.')
    await sql`insert into operator_actions (id, person, command, arguments, organization_id)
      select gen_random_uuid(), '', 'person invite', '{}', ${organizationId}
      from generate_series(1, 50)`.execute(stand.db)
    const { answer } = await invited(owner.browser, newMail())
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('has sent 50 invitations today')])
  })
})

test('the sweeper deletes links after an hour, and invitations five minutes after they have ended', async () => {
  await stand.sweep()
  const owner = await (await organization()).as()
  const [late, open] = [newMail(), newMail()]
  for (const mail of [late, open]) {
    await ask(browser(), mail)
    await invited(owner.browser, mail)
    await sql`insert into known_browsers (person_id, browser_hash, used_at) values (${owner.id}, ${Buffer.from(mail)},
      now() - ${mail === late ? '90 days' : '89 days'}::interval)`.execute(stand.db)
  }
  await sql`update sign_in_links set created_at = now() - interval '1 hour' where mail = ${late}`.execute(stand.db)
  await sql`update invitations set expires_at = now() - interval '5 minutes' where mail = ${late}`.execute(stand.db)
  expect(await stand.sweep()).toMatchObject({ links_purged: 1, invitations_purged: 1, browsers_purged: 1 })
  const { rows } = await sql`select mail from sign_in_links where mail in (${late}, ${open})
    union all select mail from invitations where mail in (${late}, ${open})`.execute(stand.db)
  expect(rows).toEqual([{ mail: open }, { mail: open }])
})
