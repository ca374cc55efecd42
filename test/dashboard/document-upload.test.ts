import { beforeAll, expect, test } from 'vitest'
import { formWith, get, hiddenIn, inProcess, listOf, pageOf, seenIn, setColumns, write } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'
import { announce, post, upload as uploadTo } from './uploads.ts'

const { signedIn, stand } = useDashboard()

/** Most tests share a tenant, since one process reads the files of an organization. */
let tenant: SignedIn
beforeAll(async () => {
  tenant = await signedIn()
})

const upload = (tenant: SignedIn, name: string, content: string) => uploadTo(stand, tenant, name, content)

test('an announced file has a document, whatever its name is, and a form to post it with', async () => {
  const tenant = await signedIn()
  const { status, headers, body } = await announce(tenant, 'Prices 2026.PDF', 1234)
  expect(status).toBe(201)
  expect(headers['content-type']).toContain('application/json')
  const { documentId, url, fields } = body
  expect(fields.key).toMatch(new RegExp(`^${tenant.organizationId}/${documentId}/[0-9a-f-]{36}/Prices 2026.PDF$`))
  expect(fields['x-amz-signature']).toMatch(/^[0-9a-f]{64}$/)
  const list = await tenant.browser.get(listOf(tenant))
  expect(list.headers['content-security-policy']).toContain(`connect-src 'self' ${new URL(url).origin}`)
  const announced = { title: 'Prices 2026', content: null, source_type: 'pdf', status: 'pending' }
  expect(await get(tenant, documentId)).toMatchObject(announced)
  expect(list.text).toContain('Prices 2026 PDF · changed just now Waiting for the file')
  for (const [name, bytes] of Object.entries({ '.csv': 5, 'large.pdf': 50 * 1024 * 1024, '<b>"x".csv': 5 }))
    expect((await announce(tenant, name, bytes)).status).toBe(201)
  expect((await tenant.browser.get(listOf(tenant))).html).toContain('&lt;b&gt;&quot;x&quot;</a>')
})

test.each([
  ['virus.exe', 10, 'This type of file isn’t supported.'],
  ['no extension', 10, 'This type of file isn’t supported.'],
  ['Photo.HEIC', 10, 'set Settings > Camera > Formats to “Most Compatible”'],
  ['empty.pdf', 0, 'The file is empty.'],
  ['large.pdf', 50 * 1024 * 1024 + 1, 'The file is larger than 50 MB.'],
  ['unknown.pdf', '', ''],
  ['', 10, ''],
] as const)('%s of %s bytes is refused with a message, and leaves no document', async (name, bytes, fault) => {
  const tenant = await signedIn()
  const { status, body } = await announce(tenant, name, bytes)
  expect(status).toBe(422)
  expect(body.message).toContain(fault)
  expect((await tenant.browser.get(listOf(tenant))).text).toContain('No documents yet')
})

test('a file that has arrived is read, shows its text and passages, and is downloaded under its name', async () => {
  const id = await upload(tenant, 'Préis & more.txt', 'We open at 9.')
  expect(await get(tenant, id)).toMatchObject({ status: 'completed', content: null })
  const path = pageOf(tenant, id)
  const { html, text } = await tenant.browser.get(path)
  for (const part of ['Ready', 'Text file', '1 part', 'We open at 9.', 'Open file']) expect(text).toContain(part)
  expect(html).toContain(`href="${path}/file"`)
  const { status, headers } = await tenant.browser.get(`${path}/file`)
  expect(status).toBe(302)
  const disposition = new URL(headers.location!).searchParams.get('response-content-disposition')
  expect(disposition).toBe(`attachment; filename*=UTF-8''Pr%C3%A9is%20%26%20more.txt`)
})

test('a file’s title and text are edited in a form that says that the file stays, and it does, also when an earlier text is restored', async () => {
  const id = await upload(tenant, 'Hours of Cleo.txt', 'We open at 9.')
  const path = `${pageOf(tenant, id)}/edit`
  const form = await tenant.browser.get(path)
  const title = { title: 'Opening', content: 'We open at 9.', edits: hiddenIn(form.html, 'edits') }
  await tenant.browser.submit(path, title)
  expect(await get(tenant, id)).toMatchObject({ title: 'Opening', source_type: 'txt', status: 'completed' })
  const { html, text } = await tenant.browser.get(path)
  expect(text).toContain('The file Hours of Cleo.txt stays as it is')
  const edits = hiddenIn(html, 'edits')
  await tenant.browser.submit(path, { title: 'Opening', content: 'We open at 9.', edits })
  expect(await get(tenant, id), 'the same text').toMatchObject({ source_type: 'txt' })
  await tenant.browser.submit(path, { title: 'Opening', content: 'We open at 8.', edits })
  expect(await get(tenant, id)).toMatchObject({ source_type: 'txt', content: null })
  await stand.deliver()
  expect((await tenant.browser.get(pageOf(tenant, id))).text).toContain('We open at 8.')
  const history = await tenant.browser.get(`${pageOf(tenant, id)}/history`)
  const earlier = await tenant.browser.get(history.html.match(/href="([^"]+)">Compare/)![1]!)
  expect(earlier.text).toContain('The file Hours of Cleo.txt stays as it is')
  await tenant.browser.submit(...formWith(earlier.html, 'Restore this text'))
  await stand.deliver()
  const restored = await tenant.browser.get(pageOf(tenant, id))
  expect(restored.text).toContain('Part 1 · Correct part 1 We open at 9.')
  expect(restored.text).toContain('Open file')
})

test('a file that has not arrived after a minute is shown as missing, and uploaded again for the same document', async () => {
  const { body } = await announce(tenant, 'Hours.txt', 5)
  const page = `${listOf(tenant)}/${body.documentId}`
  const { html } = await tenant.browser.get(listOf(tenant))
  await setColumns(stand, body.documentId, `upload_until = upload_until - interval '59 seconds'`)
  expect((await tenant.browser.get(page)).text).toContain('Waiting for the file')
  await setColumns(stand, body.documentId, `upload_until = upload_until - interval '2 seconds'`)
  const changes = await tenant.browser.part(`${listOf(tenant)}?${seenIn(html)}`)
  for (const part of ['File missing', 'The file hasn’t arrived yet.', 'Try again', 'Delete'])
    expect(changes.text).toContain(part)
  const shown = await tenant.browser.get(page)
  expect(shown.html).toContain(`data-replaces="${body.documentId}"`)
  expect(shown.text).not.toContain('Open file')

  const again = await tenant.browser.post(`${page}/file`, { name: 'Opening.md', bytes: '13' })
  const { fields } = JSON.parse(again.html)
  expect(again.status).toBe(201)
  expect(fields.key).toMatch(new RegExp(`^${tenant.organizationId}/${body.documentId}/[0-9a-f-]{36}/Opening.md$`))
  expect((await tenant.browser.get(page)).text).toContain('Waiting for the file')
  await post(stand, tenant, JSON.parse(again.html), 'Opening.md', 'We open at 9.')
  expect(await get(tenant, body.documentId)).toMatchObject({ status: 'completed', title: 'Hours' })
})

test('a missing or faulty file is replaced, but not while it is read, nor by an unsupported one, and a text never is', async () => {
  const tenant = await signedIn()
  const { body } = await announce(tenant, 'Hours.txt', 5)
  const page = `${listOf(tenant)}/${body.documentId}`
  const fail = (code: string) =>
    setColumns(stand, body.documentId, `status = 'error', error_code = '${code}', error_message = 'It failed.'`)
  for (const [code, action] of [
    ['file_not_uploaded', 'Try again'],
    ['file_too_large', 'Replace the file'],
    ['file_unreadable', 'Replace the file'],
    ['file_overwritten', 'Replace the file'],
  ] as const) {
    await fail(code)
    const { text, html } = await tenant.browser.get(listOf(tenant))
    expect(text, code).toContain(action)
    expect(html, code).not.toContain('/retry"')
    expect((await tenant.browser.get(page)).html, code).toContain('data-replaces=')
    expect((await tenant.browser.get(`${page}/edit`)).html, code).toContain(`<a href="${page}">${action}</a>`)
    expect((await tenant.browser.post(`${page}/file`, { name: 'a.txt', bytes: '5' })).status, code).toBe(201)
  }
  await fail('attempts_exhausted')
  const { html } = await tenant.browser.get(page)
  expect(html).toContain('/retry"')
  expect(html).not.toContain('data-replaces=')

  const replace = async (path: string, name = 'a.txt') =>
    (await tenant.browser.post(`${path}/file`, { name, bytes: '5' })).status
  expect(await replace(page, 'virus.exe')).toBe(422)
  await setColumns(stand, body.documentId, `${inProcess}, error_code = null, error_message = null`)
  expect(await replace(page)).toBe(409)
  expect(await replace(pageOf(tenant, await write(tenant, 'Prices', 'Free.')))).toBe(409)
})
