import { expect, test } from 'vitest'
import { get, pageOf, setColumns } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'
import { upload } from './uploads.ts'

const { signedIn, stand } = useDashboard()

const shown = (tenant: SignedIn, id: string) => tenant.browser.get(pageOf(tenant, id))

test('each part of a PDF leads to its page of the file, a picture is shown, and another file can be opened', async () => {
  const tenant = await signedIn()
  const id = await upload(stand, tenant, 'Menu.txt', 'Soup is 4 euros.')
  const file = `${pageOf(tenant, id)}/file`
  const other = await shown(tenant, id)
  expect(other.html).toContain(`href="${file}"`)
  expect(other.html).not.toContain('#page=')

  const named = (name: string) => `source_type = 'pdf', source_url = 's3://files/a/b/c/${name}'`
  await setColumns(stand, id, `${named('Menu.pdf')}, chunk_pages = '[7]'`)
  expect((await shown(tenant, id)).html).toContain(`<a href="${file}#page=7" target="_blank">Page 7<`)
  const { headers } = await tenant.browser.get(file)
  const { origin, searchParams } = new URL(headers.location!)
  expect(searchParams.get('response-content-type')).toBe('application/pdf')
  expect(searchParams.get('response-content-disposition')).toMatch(/^inline; /)

  await setColumns(stand, id, named('Menu%20board.jpg'))
  const picture = await shown(tenant, id)
  expect(picture.html).toContain(`<img src="${file}" alt="Menu board.jpg">`)
  expect(picture.headers['content-security-policy']).toContain(`img-src 'self' ${origin} data:`)
})

test('a passage and a page that may have been misread are marked', async () => {
  const tenant = await signedIn()
  const id = await upload(stand, tenant, 'Menu.md', '# Soups\n\nTomato is\n€4.S0.\n\n# Cakes\n\nApple is €3.')
  const check = 'Please check this part against the original.'
  expect((await shown(tenant, id)).text).not.toContain('Please check')
  const notes = [
    { code: 'doubtful_words', page: 1, text: 'Tomato is €4.S0' },
    { code: 'doubtful_layout', page: 2, text: '' },
    { code: 'doubtful_layout', page: 3, text: '' },
    { code: 'hidden_text_left_out', kind: 'hidden_slides', count: 2 },
    { code: 'hidden_text_left_out', kind: 'struck_passages', count: 1 },
  ]
  await setColumns(stand, id, `file_notes = '${JSON.stringify(notes)}'`)
  const { text } = await shown(tenant, id)
  expect(text).toContain('Please check pages 2 and 3 against the original: columns or tables may have been mixed up.')
  expect(text).toMatch(/2 hidden slides were left out\.\s+1 struck passage was left out\./)
  expect(text.split(check)).toHaveLength(2)
  expect(text).toMatch(/Part 1 · Correct part 1 · Please check this part against the original\.\s+Soups/)
})

test('a file whose name contradicts its content has its real type, and the API warns of it', async () => {
  const tenant = await signedIn()
  const outcome = async (name: string, content: string) => {
    const id = await upload(stand, tenant, name, content)
    const { status, warnings } = await get(tenant, id)
    return { status, warnings }
  }
  const login = '<!doctype html><title>Sign in</title><h1>Sign in to continue</h1><p>Your session has ended.</p>'
  const warnings = [{ code: 'file_type_contradicts_name', named: 'pdf', found: 'txt' }]
  expect(await outcome('broken.pdf', 'Soup is 4 euros.')).toEqual({ status: 'completed', warnings })
  expect(await outcome('Prices.pdf', login)).toEqual({ status: 'completed', warnings })
  const asItSays = { status: 'completed', warnings: [] }
  expect(await outcome('Login.html', login)).toEqual(asItSays)
  expect(await outcome('Cakes.txt', 'Cake;Price\nApple;3\nPlum;4\nCherry;5\n')).toEqual(asItSays)
})
