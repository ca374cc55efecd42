import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { formWith, get, listOf, pageOf, rowOf, seenIn, serve } from './document-rows.ts'
import { formOf, found, keep, menu, type Subject, useNewVersions } from './new-versions.ts'
import type { SignedIn } from './support.ts'
import { announce, post, upload } from './uploads.ts'

const { signedIn, stand, held } = useNewVersions()

async function fileOf({ browser, ...tenant }: SignedIn, id: string): Promise<string> {
  const { headers } = await browser.get(`${pageOf(tenant, id)}/file`)
  return await (await fetch(headers.location!)).text()
}

describe('a file', () => {
  test.each([
    ['by its name', 'Menu_2027-03 (1).txt', 'Something else altogether is written here.'],
    ['by its text, with other prices', 'Karte.txt', menu('4.00', '4.10', '4.20', '4.30', '4.40', '4.50')],
    ['in every byte', 'Karte.txt', menu()],
  ])('that resembles a document %s waits for somebody who may write, and is not served', async (_, name, text) => {
    const { tenant, old, id } = await held(name, text)
    expect(await get(tenant, id)).toMatchObject({
      status: 'pending',
      chunk_count: 0,
      error_message: null,
      waiting: { reason: expect.stringContaining('resembles another document'), next_attempt_at: null },
    })
    expect(await get(tenant, old)).toMatchObject({ status: 'completed' })
    const row = async () => rowOf((await tenant.browser.get(listOf(tenant))).html, id)
    for (const part of ['New version?', `The file ${name} looks`, 'Replace “menu”', 'Keep both'])
      expect(await row()).toContain(part)
    await sql`update api_keys set permissions = '{kb:read}'
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect(await row()).toContain('New version?')
    expect(await row()).not.toContain('<button')
    await sql`delete from documents where agent_id = ${tenant.agentId}`.execute(stand.db)
    expect(await get(tenant, id), 'by one statement').toMatchObject({ code: 'document_not_found' })
  })

  test.each([
    ['another name and text', 'Hours.txt', 'We open at 9.'],
    ['a name that says nothing', 'scan.txt', 'We open at 9.'],
  ])('with %s does not wait', async (_, name, text) => {
    const tenant = await signedIn()
    const first = await upload(stand, tenant, name === 'scan.txt' ? name : 'menu.txt', menu())
    expect(await get(tenant, first), 'other organizations have this file').toMatchObject({ status: 'completed' })
    expect(await get(tenant, await upload(stand, tenant, name, text))).toMatchObject({ status: 'completed' })
  })

  test('never waits if a program sends it, and else is asked about in the list without a reload, which then stops polling', async () => {
    const tenant = await signedIn()
    await upload(stand, tenant, 'menu.txt', menu())
    const file = { name: 'menu.txt', bytes: Buffer.byteLength(menu()) }
    const { document, upload: form } = (await tenant.call('POST', `${tenant.knowledgeBase}/files`, file)).body
    await post(stand, tenant, { documentId: document.id, ...form }, 'menu.txt', menu())
    expect(await get(tenant, document.id)).toMatchObject({ status: 'completed', waiting: null })
    const { body } = await announce(tenant, 'menu.txt', Buffer.byteLength(menu('3.90')))
    const seen = seenIn((await tenant.browser.get(listOf(tenant))).html)
    await post(stand, tenant, body, 'menu.txt', menu('3.90'))
    const changes = await tenant.browser.part(`${listOf(tenant)}?${seen}`)
    expect(changes.text).toContain('The file menu.txt looks like a new version of “menu”.')
    expect(changes.html).not.toContain('every 2s')
  })

  test.each(['keep', 'replace'])(
    'goes on waiting after the other is deleted, says so, and is served by the answer “%s”',
    async (answer) => {
      const subject = await held()
      const { tenant, old, id } = subject
      const asked = await formOf(subject)
      await tenant.call('DELETE', `${tenant.knowledgeBase}/${old}`)
      await stand.sweep()
      await stand.deliver()
      const waiting = { reason: expect.stringContaining('was deleted'), next_attempt_at: null }
      expect(await get(tenant, id)).toMatchObject({ status: 'pending', waiting })
      expect(await found(tenant, 'flat white')).toEqual([])
      const row = rowOf((await tenant.browser.get(listOf(tenant))).html, id)
      for (const part of ['Serve it?', 'was deleted. Callers get nothing', 'Serve it']) expect(row).toContain(part)
      expect(row).not.toContain('Replace')
      expect((await tenant.browser.get(pageOf(tenant, id))).status).toBe(200)
      await (answer === 'keep' ? keep(subject) : asked())
      await stand.deliver()
      expect(await get(tenant, id)).toMatchObject({ status: 'completed', waiting: null })
      expect(await found(tenant, 'flat white')).toContainEqual(expect.stringContaining('costs €3.90'))
    },
  )

  test('may wait longer than a day without counting as late, until somebody has given it a text', async () => {
    const { tenant, id } = await held()
    await sql`update documents set pending_since = pending_since - interval '3 days', resend_at = now() - interval '3 days'
      where id = ${id}`.execute(stand.db)
    await stand.sweep()
    await stand.deliver()
    expect(await get(tenant, id)).toMatchObject({ status: 'pending' })
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: 'A text.' })
    await stand.deliver()
    expect(await get(tenant, id)).toMatchObject({ status: 'completed', waiting: null })
  })
})

describe('replacing', () => {
  test('makes the file a revision of the document, which keeps its id, title and history, embeds only changes, and deletes the old file', async () => {
    const subject = await held()
    const { tenant, old, id } = subject
    const before = await get(tenant, old)
    const { source_url } = await get(tenant, id)
    const vectors = async () => {
      const { rows } = await sql<{ id: string }>`select id from vectors where document_id = ${old}`.execute(stand.db)
      return rows.map(({ id }) => id)
    }
    const embedded = await vectors()
    const page = await tenant.browser.get(pageOf(tenant, id))
    expect(page.text).toContain('Replace “menu”')
    expect(page.html).toContain('<del>3.20</del><ins>3.90</ins>')
    const { text } = await (await formOf(subject))()
    expect(text).toContain('“menu” gets the new text. Its earlier text is in its history.')
    expect(await found(tenant, 'flat white')).toContainEqual(expect.stringContaining('flat white costs €3.20'))
    await stand.deliver()
    const { created_at } = before
    expect(await get(tenant, old)).toMatchObject({ status: 'completed', title: 'menu', source_url, created_at })
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).status).toBe(404)
    const now = await vectors()
    expect(now).toHaveLength(embedded.length)
    expect(now.filter((vector) => !embedded.includes(vector))).toHaveLength(1)
    expect(await found(tenant, 'flat white')).not.toContainEqual(expect.stringContaining('flat white costs €3.20'))
    expect((await tenant.browser.get(`${pageOf(tenant, old)}/history`)).text.match(/by test/g)).toHaveLength(2)

    const { rows } = await sql<{ source_url: string }>`select source_url from obsolete_files`.execute(stand.db)
    expect(rows.map(({ source_url }) => source_url.split('/').at(-1))).toContain('menu.txt')
    await stand.sweep()
    expect(await fileOf(tenant, old)).toContain('€3.90')
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${old}`, { status: 'pending' })
    await stand.deliver('extraction')
    await stand.deliver()
    expect(await get(tenant, old)).toMatchObject({ status: 'completed' })
  })

  test.each([
    ['Update the check and serve it', '€3.90'],
    ['Keep the old version', '€3.20'],
  ])('asks first if a check stops the new text; “%s” ends with %s', async (button, price) => {
    const subject = await held()
    const { tenant, old, id } = subject
    const [question, words] = ['what does a flat white cost', 'flat white costs €3.20']
    const golden = { question, expects: { words }, on_failure: 'block' }
    expect((await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, golden)).status).toBe(201)
    const { html } = await tenant.browser.get(pageOf(tenant, id))
    const stopped = await tenant.browser.post(...formWith(html, 'Replace “menu”'))
    expect(stopped.status).toBe(409)
    const said = `A check expects “${words}”. The new file says “A flat white costs €3.90.”`
    expect(stopped.text).toContain(said)
    expect(await get(tenant, old)).toMatchObject({ status: 'completed' })
    const [action, fields] = formWith(stopped.html, button)
    await tenant.browser.submit(action, { ...fields, update: '1' })
    await stand.deliver()
    const file = price === '€3.90' ? 'menu%202027.txt' : 'menu.txt'
    expect(await get(tenant, old)).toMatchObject({ status: 'completed', source_url: expect.stringContaining(file) })
    expect((await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).status).toBe(404)
    expect(await found(tenant, 'flat white')).toContainEqual(expect.stringContaining(`flat white costs ${price}`))
  })

  test('also replaces a text', async () => {
    const tenant = await signedIn()
    const old = await serve(stand, tenant, 'menu', menu())
    const subject = { tenant, old, id: await upload(stand, tenant, 'menu.txt', menu('3.90')) }
    await (await formOf(subject))()
    await stand.deliver()
    expect(await get(tenant, old)).toMatchObject({ status: 'completed', source_type: 'txt', content: null })
  })
})

test('both are kept, and the question is not asked again', async () => {
  const subject = await held()
  const { tenant, old, id } = subject
  expect((await keep(subject)).text).toContain('“menu 2027” is kept, and will answer callers in a moment.')
  await stand.deliver()
  expect(await get(tenant, id)).toMatchObject({ status: 'completed', waiting: null })
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { status: 'pending' })
  await stand.deliver('extraction')
  await stand.deliver()
  expect(await get(tenant, id)).toMatchObject({ status: 'completed' })
  expect(await get(tenant, old)).toMatchObject({ status: 'completed' })
})

describe('“Replace file” of a ready document', () => {
  /** Announces a new file on the document's page. */
  async function replaced(text: string): Promise<Subject> {
    const tenant = await signedIn()
    const old = await upload(stand, tenant, 'menu.txt', menu())
    const page = pageOf(tenant, old)
    expect((await tenant.browser.get(page)).html).toContain(`href="${page}?replace=1"`)
    expect((await tenant.browser.get(`${page}?replace=1`)).html).toContain(`data-replaces="${old}"`)
    const file = { name: 'Karte.txt', bytes: `${Buffer.byteLength(text)}` }
    const { status, html } = await tenant.browser.post(`${page}/file`, file)
    expect(status).toBe(201)
    await post(stand, tenant, JSON.parse(html), 'Karte.txt', text)
    return { tenant, old, id: JSON.parse(html).documentId }
  }

  test('asks with the changes of any file, and serves the old text until the answer', async () => {
    const subject = await replaced('A flat white is free.')
    const { tenant, old } = subject
    expect(await found(tenant, 'flat white')).toContainEqual(expect.stringContaining('flat white costs €3.20'))
    await (await formOf(subject))()
    await stand.deliver()
    expect(await get(tenant, old)).toMatchObject({ status: 'completed', title: 'menu' })
    expect(await found(tenant, 'flat white')).toEqual(['A flat white is free.'])
  })

  test('leaves the document as it was if the file cannot be read', async () => {
    const { tenant, old, id } = await replaced('…')
    expect(await get(tenant, id)).toMatchObject({ status: 'error' })
    expect(await get(tenant, old)).toMatchObject({ status: 'completed' })
    expect(await fileOf(tenant, old)).toBe(menu())
  })
})
