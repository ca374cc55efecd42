import { expect, test } from 'vitest'
import { fillAgent } from '../support/documents/documents.ts'
import { limit } from '../support/stand/tenant.ts'
import { get, hiddenIn, listOf, pageOf, serve, write } from './document-rows.ts'
import { type FormFields, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const idIn = (location: string) => location.split('/').at(-1)!

test('a new text is queued, and is soon ready', async () => {
  const tenant = await signedIn()
  const form = await tenant.browser.get(`${listOf(tenant)}/new`)
  expect(form.text).toContain('Title')
  expect(form.html).not.toContain('autofocus')
  const fields = { title: '  Opening hours ', content: '# Hours\r\n\r\nWe open at 9.\r\n' }
  const { status, headers } = await tenant.browser.post(`${listOf(tenant)}/new`, fields)
  expect(status).toBe(303)
  expect((await tenant.browser.get(headers.location!)).text).toContain('Queued')
  await stand.deliver()
  const stored = { title: 'Opening hours', content: '# Hours\n\nWe open at 9.\n', status: 'completed' }
  expect(await get(tenant, idIn(headers.location!))).toMatchObject(stored)
})

test('an edited text is embedded again, but not if only the title changed', async () => {
  const tenant = await signedIn()
  const id = await serve(stand, tenant, 'Hours', 'We open at 9.\r\nWe close at 6.')
  const form = await tenant.browser.get(`${listOf(tenant)}/${id}/edit`)
  const edit = async (fields: { title: string; content: string; edits: string }) =>
    (await tenant.browser.submit(`${listOf(tenant)}/${id}/edit`, fields)).text
  const edits = hiddenIn(form.html, 'edits')

  const retitled = await edit({ title: 'Opening hours', content: 'We open at 9.\r\nWe close at 6.', edits })
  expect(retitled).toContain('“Opening hours” was saved.')
  expect(retitled).toContain('Ready')
  expect(await get(tenant, id)).toMatchObject({ title: 'Opening hours', content: 'We open at 9.\r\nWe close at 6.' })

  const edited = await edit({ title: 'Opening hours', content: 'We open at 8.', edits: `${Number(edits) + 1}` })
  expect(edited).toContain('Queued')
  expect(edited).toContain('Callers still get answers from the previous version.')
  expect(edited).toContain('We open at 9.')
  await stand.deliver()
  expect((await tenant.browser.get(`${listOf(tenant)}/${id}`)).text).toContain('We open at 8.')
})

test('an edit that conflicts with an earlier one loses neither, even if it is faulty first', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Hours', 'We open at 9.')
  const { html } = await tenant.browser.get(`${listOf(tenant)}/${id}/edit`)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: 'Hours in May', content: 'In May at 7.' })

  const mine = { title: 'Hours in June', content: 'In June at 8.', edits: hiddenIn(html, 'edits') }
  const faulty = await tenant.browser.post(`${listOf(tenant)}/${id}/edit`, { ...mine, title: '' })
  expect(hiddenIn(faulty.html, 'edits')).toBe(mine.edits)
  const conflict = await tenant.browser.post(`${listOf(tenant)}/${id}/edit`, mine)
  expect(conflict.status).toBe(409)
  for (const text of ['Somebody else has changed this document', 'Hours in May']) expect(conflict.text).toContain(text)
  expect(conflict.html).toContain('In <del>June</del><ins>May</ins> at <del>8</del><ins>7</ins>.')
  for (const typed of ['value="Hours in June"', 'In June at 8.</textarea>']) expect(conflict.html).toContain(typed)
  expect(await get(tenant, id)).toMatchObject({ title: 'Hours in May', content: 'In May at 7.' })

  await tenant.browser.submit(`${listOf(tenant)}/${id}/edit`, { ...mine, edits: hiddenIn(conflict.html, 'edits') })
  expect(await get(tenant, id)).toMatchObject({ title: 'Hours in June', content: 'In June at 8.' })
})

test.each([
  ['a document of passages from elsewhere', undefined, 'Your own system creates the parts of this document'],
  ['a text too long for a form', 'word '.repeat(220_000), 'This text is larger than 1 MB'],
])('%s cannot be edited, only its title', async (_, content, says) => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Made elsewhere', content)
  const { html, text } = await tenant.browser.get(`${listOf(tenant)}/${id}/edit`)
  expect(text).toContain(says)
  expect(html).not.toContain('<textarea')
  await tenant.browser.submit(`${listOf(tenant)}/${id}/edit`, { title: 'Elsewhere', edits: hiddenIn(html, 'edits') })
  expect(await get(tenant, id)).toMatchObject({ title: 'Elsewhere', content: content ?? null })
})

test('a text whose document was deleted meanwhile can be saved as a new one', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Hours', 'We open at 9.')
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${id}`)
  const fields = { title: 'Hours', content: 'We open at 8.', edits: '1' }
  for (const typed of [fields, { ...fields, title: '' }]) {
    const { status, html, text } = await tenant.browser.post(`${listOf(tenant)}/${id}/edit`, typed)
    expect(status).toBe(404)
    expect(text).toContain('Somebody has deleted this document in the meantime.')
    expect(html).toContain(`action="${listOf(tenant)}/new"`)
    expect(html).toContain('We open at 8.</textarea>')
  }
})

test('above a limit nothing is stored, the form keeps the text, and search serves the old one', async () => {
  const tenant = await signedIn()
  const id = await serve(stand, tenant, 'Hours', 'We open at 9.')
  const fields = { title: 'Hours', content: 'We open at 8.' }
  const edits = hiddenIn((await tenant.browser.get(`${pageOf(tenant, id)}/edit`)).html, 'edits')
  const file = { name: 'a.pdf', bytes: '1' }
  const expectRefused = async (sent: Record<string, FormFields>, status: number, says: string) => {
    for (const [path, typed] of Object.entries(sent)) {
      const page = await tenant.browser.post(`${listOf(tenant)}/${path}`, typed)
      expect([page.status, page.html], path).toEqual([status, expect.stringContaining(says)])
      if ('content' in typed) expect(page.html).toContain('We open at 8.</textarea>')
    }
    expect(await get(tenant, id)).toMatchObject({ status: 'completed', content: 'We open at 9.' })
  }
  await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 0 })
  const sent = { new: fields, [`${id}/edit`]: { ...fields, edits }, files: file, [`${id}/retry`]: {} }
  await expectRefused(sent, 429, 'Too many documents are being processed')
  await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 1000 })
  await fillAgent(stand, tenant, 10_000)
  await expectRefused({ new: fields, files: file }, 422, 'An agent can have at most 10,000 documents')
})

test('a text that answers a question is titled with its subject, and the cursor is in the text', async () => {
  const [tenant, question] = [await signedIn(), 'do you take dogs?']
  const { html, text } = await tenant.browser.get(`${listOf(tenant)}/new?${new URLSearchParams({ question })}`)
  expect(html).toContain('name="title" value="Dogs"')
  expect(text).toContain(`What should callers be told when they ask “${question}”?`)
  expect(html).toMatch(/<textarea id="content"[^>]* autofocus/)
})
