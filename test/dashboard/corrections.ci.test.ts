import fc from 'fast-check'
import { expect, test } from 'vitest'
import { correctionsAfter, lostCorrections } from '../../functions/dashboard/documents/text/corrections.ts'
import { corrected } from '../../shared/documents/text/corrections.ts'
import { hiddenIn, inProcess, pageOf, setColumns } from './document-rows.ts'
import { items, formOf as replacementOf } from './new-versions.ts'
import { type SignedIn, useDashboard } from './support.ts'
import { upload } from './uploads.ts'

const { signedIn, stand } = useDashboard()

const menu = (...lines: string[]) =>
  items.map((item, i) => `# ${item}\n\n${lines[i] ?? `A ${item.toLowerCase()} costs €3.20.`}`).join('\n\n')
const wrong = 'A flat white costs €8.20.'
const right = 'A flat white costs €3.20.'

async function get({ call, knowledgeBase }: SignedIn, id: string) {
  const { body, headers } = await call('GET', `${knowledgeBase}/${id}?include=text`)
  return { ...body, etag: headers.etag }
}
async function found({ call, knowledgeBase }: SignedIn): Promise<string> {
  return (await call('POST', `${knowledgeBase}/search`, { query: 'What does a flat white cost?' })).body.data[0].content
}

/** The form that corrects the text, opened at its first passage. */
async function formOf(tenant: SignedIn, id: string) {
  const { html } = await tenant.browser.get(pageOf(tenant, id))
  const address = /href="([^"]+\/edit\?passage=1)"/.exec(html)![1]!
  const form = await tenant.browser.get(address)
  const [, content = ''] = /<textarea[^>]*>\n([^<]*)</.exec(form.html)!
  const edits = hiddenIn(form.html, 'edits')
  return { address, content, fields: { title: 'menu', edits, content: content.replace('€8.20', '€3.20') } }
}

/** A served file with a wrong price, which was corrected. */
async function correctedFile() {
  const tenant = await signedIn()
  const id = await upload(stand, tenant, 'menu.md', menu(wrong))
  const { address, fields } = await formOf(tenant, id)
  await tenant.browser.submit(address, fields)
  await stand.deliver()
  return { tenant, id }
}

/** Uploads another version of the file, and replaces the first with it. */
async function replace(tenant: SignedIn, id: string, text: string) {
  const other = await upload(stand, tenant, 'menu.md', text)
  await (await replacementOf({ tenant, id: other }))()
  await stand.deliver()
  return await tenant.browser.get(pageOf(tenant, id))
}

test('the text of a file is corrected at a passage, and the document remains a file', async () => {
  const tenant = await signedIn()
  const id = await upload(stand, tenant, 'menu.md', menu(wrong))
  const before = await get(tenant, id)
  const { address, content, fields } = await formOf(tenant, id)
  expect(content).toBe(menu(wrong))
  const asked = new URLSearchParams({ question: 'what does a flat white cost', passage: '2' })
  const { html, text } = await tenant.browser.get(`${pageOf(tenant, id)}/edit?${asked}`)
  expect(html).toContain(` data-at="${content.indexOf('A cappuccino costs')}">\n${content}</textarea>`)
  expect(text).toContain('Check before every change that this document answers “what does a flat white cost”')
  expect((await tenant.browser.submit(address, fields)).text).toContain('was saved')
  await stand.deliver()
  const after = await get(tenant, id)
  expect(after).toMatchObject({ status: 'completed', content: null, text: menu(right), source_url: before.source_url })
  expect(await found(tenant)).toContain(right)
  const stale = await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: 'x' }, { 'if-match': before.etag })
  expect(stale.status).toBe(412)
  const history = await tenant.browser.get(`${pageOf(tenant, id)}/history/1`)
  expect(history.html).toMatch(/<del>3\.20<\/del><ins>8\.20<\/ins>/)
  expect(history.text).toContain('The file menu.md stays as it is')
})

test('a correction survives a second reading of the file, a new file that still has the wrong passage, and one that has the right one', async () => {
  const { tenant, id } = await correctedFile()
  await setColumns(stand, id, `status = 'error', error_code = 'x', error_message = 'x'`)
  await tenant.browser.submit(`${pageOf(tenant, id)}/retry`)
  await stand.deliver('extraction')
  await stand.deliver()
  expect(await get(tenant, id)).toMatchObject({ status: 'completed', text: menu(right) })

  const moved = menu(wrong.replace(' costs', '\ncosts'), 'A cappuccino costs €3.60.')
  const { text } = await replace(tenant, id, `# News\n\nWe have cake.\n\n${moved}`)
  expect(text).not.toContain('no longer applies')
  const replaced = await get(tenant, id)
  expect(replaced.text).toContain(right)
  expect(replaced.text).toContain('€3.60')
  expect(await found(tenant)).toContain(right)
  expect((await replace(tenant, id, menu(right, 'A cappuccino costs €3.60.'))).text).not.toContain('no longer applies')
})

test('a correction of a passage that a new file no longer has is offered, until it is dropped', async () => {
  const { tenant, id } = await correctedFile()
  const page = await replace(tenant, id, menu('A flat white costs €4.00.', 'A cappuccino costs €3.60.'))
  expect(page.text).toContain(`This correction no longer applies: ${wrong} ${right} Edit Drop`)
  expect((await get(tenant, id)).text).toContain('€4.00')
  const fields = { edits: hiddenIn(page.html.split('drop-correction')[1]!, 'edits'), index: '0' }
  const drop = () => tenant.browser.submit(`${pageOf(tenant, id)}/drop-correction`, fields)
  const dropped = await drop()
  expect(dropped.text).toContain('The correction was dropped.')
  expect(dropped.text).not.toContain('no longer applies')
  expect((await drop()).text).toContain('Nothing was changed')
})

test('a worker that has begun with the wrong text changes nothing after its correction', async () => {
  const tenant = await signedIn()
  const id = await upload(stand, tenant, 'menu.md', menu(wrong))
  const { address, fields } = await formOf(tenant, id)
  await setColumns(stand, id, inProcess)
  await tenant.browser.submit(address, fields)
  expect(await get(tenant, id)).toMatchObject({ status: 'pending', text: menu(right) })
  await stand.deliver()
  expect(await get(tenant, id)).toMatchObject({ status: 'completed', text: menu(right) })
})

test('a correction of a document that somebody has changed since is not saved, but shown beside the text', async () => {
  const { tenant, id } = await correctedFile()
  const { address, fields } = await formOf(tenant, id)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { title: 'Menu of today' })
  const { status, text } = await tenant.browser.post(address, { ...fields, content: 'A flat white is free.' })
  expect(status).toBe(409)
  for (const each of ['A flat white is free.', 'Menu of today', 'Lemonade']) expect(text).toContain(each)
  expect((await get(tenant, id)).text).toBe(menu(right))
})

test('content from the API replaces the file and its corrections; a restored earlier text corrects the file', async () => {
  const { tenant, id } = await correctedFile()
  const { source_url } = await get(tenant, id)
  await tenant.browser.submit(`${pageOf(tenant, id)}/history/1/restore`)
  await stand.deliver()
  expect(await get(tenant, id)).toMatchObject({ source_url, content: null, text: menu(wrong) })
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: menu(right) })
  await stand.deliver()
  expect(await get(tenant, id)).toMatchObject({ source_url: null, content: menu(right), text: null })
})

test('a correction is applied again to the same text, but only once', () => {
  const line = fc.constantFrom('', 'Soup', 'Soup is 4', '| A | 4.20 |', '| B | 4.20 |', 'x', 'x  y', '# H')
  const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `Menu\n${lines.join('\n')}`)
  const inLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  fc.assert(
    fc.property(text, text, text, (original, first, second) => {
      const once = correctionsAfter(original, [], first)
      const twice = correctionsAfter(first, once, second)
      expect(inLine(corrected(original, once))).toBe(inLine(first))
      expect(corrected(first, once)).toBe(first)
      expect(corrected(second, twice)).toBe(second)
      expect(lostCorrections(first, once)).toEqual([])
    }),
    { numRuns: 500 },
  )
})
