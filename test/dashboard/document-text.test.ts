import { expect, test } from 'vitest'
import { fillAgent } from '../support/documents/documents.ts'
import { limit } from '../support/stand/tenant.ts'
import { get, hiddenIn, listOf, serve, write } from './document-rows.ts'
import { useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const idIn = (location: string) => location.split('/').at(-1)!

test('a new text is queued, and is soon ready', async () => {
  const tenant = await signedIn()
  const form = await tenant.browser.get(`${listOf(tenant)}/new`)
  expect(form.text).toContain('Title')
  const fields = { title: '  Opening hours ', content: '# Hours\r\n\r\nWe open at 9.\r\n' }
  const checked = await tenant.browser.post(`${listOf(tenant)}/new`, { ...fields, check: '1' })
  expect([checked.status, checked.text]).toEqual([200, expect.stringContaining('Nothing is saved yet.')])
  expect((await tenant.browser.get(listOf(tenant))).text).toContain('No documents yet')
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

test('an agent at its limit of documents accepts no more, and the form keeps the text', async () => {
  const tenant = await signedIn()
  await fillAgent(stand, tenant, 10_000)
  const written = await tenant.browser.post(`${listOf(tenant)}/new`, { title: 'Hours', content: 'We open at 8.' })
  expect(written.status).toBe(422)
  expect(written.text).toContain('An agent can have at most 10,000 documents')
  expect(written.html).toContain('We open at 8.</textarea>')
  const file = await tenant.browser.post(`${listOf(tenant)}/files`, { name: 'a.pdf', bytes: '1' })
  expect([file.status, file.html]).toEqual([422, expect.stringContaining('An agent can have at most 10,000 documents')])
})

test('above the limit of documents in processing nothing is stored, the form keeps the text, and search serves the old one', async () => {
  const tenant = await signedIn()
  const id = await serve(stand, tenant, 'Hours', 'We open at 9.')
  await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 0 })
  const tooMany = expect.stringContaining('Too many documents are being processed')
  const fields = { title: 'Hours', content: 'We open at 8.' }
  const edits = hiddenIn((await tenant.browser.get(`${listOf(tenant)}/${id}/edit`)).html, 'edits')
  for (const [path, typed] of [
    ['new', fields],
    [`${id}/edit`, { ...fields, edits }],
  ] as const) {
    const { status, html, text } = await tenant.browser.post(`${listOf(tenant)}/${path}`, typed)
    expect(status).toBe(429)
    expect(text).toEqual(tooMany)
    expect(html).toContain('We open at 8.</textarea>')
  }
  const file = await tenant.browser.post(`${listOf(tenant)}/files`, { name: 'a.pdf', bytes: '1' })
  expect([file.status, file.html]).toEqual([429, tooMany])
  const retried = await tenant.browser.post(`${listOf(tenant)}/${id}/retry`)
  expect([retried.status, retried.text]).toEqual([429, tooMany])
  expect(await get(tenant, id)).toMatchObject({ status: 'completed', content: 'We open at 9.' })
})

test.each([
  ['do you take dogs?', 'Dogs'],
  ['Is K-4471 in stock?', 'K-4471 stock'],
  ['what is that?', 'What is that?'],
])('a text that answers “%s” gets the title “%s”', async (question, title) => {
  const tenant = await signedIn()
  const { html, text } = await tenant.browser.get(`${listOf(tenant)}/new?${new URLSearchParams({ question })}`)
  expect(html).toContain(`name="title" aria-describedby="title-hint" value="${title}"`)
  expect(text).toContain(`What should callers be told when they ask “${question}”?`)
})
