import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const briefly = 'public, max-age=300'
const reference = join(import.meta.dirname, '../../functions/reference')
const { paths } = JSON.parse(await readFile(join(reference, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { operationId: string }>>
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => method !== 'head')
    .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
)
const names = await readdir(join(reference, 'browser'))
const languages = ['curl', 'typescript', 'python']

let page: Promise<string> | undefined
const readPage = () => (page ??= stand.http('GET', '/v1/docs').then(({ body }) => String(body)))
/** The address at which the page finds a file of its own version. */
async function addressOf(name: string): Promise<string> {
  const [address] = new RegExp(`docs/${name.replace('.', '-[0-9a-f]{12}\\.')}(?=")`).exec(await readPage()) ?? []
  return `/v1/${address}`
}

test.each(['openapi.json', 'docs', ...names])(
  '%s needs no key, is revalidated with 304, and is compressed under another entity tag',
  async (name) => {
    const isFile = names.includes(name)
    const path = isFile ? await addressOf(name) : `/v1/${name}`
    const plain = await stand.http('GET', path)
    expect(plain).toMatchObject({
      status: 200,
      headers: { 'cache-control': isFile ? 'public, max-age=31536000, immutable' : briefly },
    })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    const { etag } = plain.headers
    const again = await stand.http('GET', path, undefined, { 'if-none-match': `"x", W/${etag}` })
    expect(again).toMatchObject({ status: 304, body: undefined, headers: { etag } })
    const zipped = await stand.http('GET', path, undefined, { 'accept-encoding': 'gzip, br', 'if-none-match': '"x"' })
    expect(zipped).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } })
    expect(zipped.headers.etag).not.toBe(etag)
    expect(zipped.body).toEqual(plain.body)
  },
)

test.each(['page.js', 'page-0123456789ab.js'])(
  'a file of another version (%s) is answered with the current one, cached briefly',
  async (name) => {
    const { status, headers } = await stand.http('GET', `/v1/docs/${name}`)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe(briefly)
  },
)

test('a module imports the others of its own version', async () => {
  const { body } = await stand.http('GET', await addressOf('page.js'))
  const imported = [...String(body).matchAll(/ from '\.\/([^']+)'/g)].map(([, name]) => `/v1/docs/${name}`)
  const addresses = await Promise.all(names.map(addressOf))
  expect(imported).toContain(await addressOf('samples.js'))
  expect(imported.filter((address) => !addresses.includes(address))).toEqual([])
})

test.each(['page.ts', '__proto__', 'constructor', '..%2fapp.ts', 'page-.js'])('there is no file %s', async (name) => {
  const answer = await stand.http('GET', `/v1/docs/${name}`)
  expect(answer).toMatchObject({ status: 404, body: { code: 'route_not_found' } })
})

describe('the page', () => {
  test('loads only its own files, and may connect only to this host', async () => {
    const { headers } = await stand.http('GET', '/v1/docs')
    const found = (await readPage()).matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)
    const loaded = [...found].map(([, url]) => (url === 'data:,' ? url : `/v1/${url}`))
    const addresses = await Promise.all(names.map(addressOf))
    expect(loaded.toSorted()).toEqual(['data:,', ...addresses].toSorted())
    expect(headers['content-security-policy']).toContain(`connect-src 'self'`)
    expect(headers['content-security-policy']).not.toContain('unsafe')
  })

  test('has every operation, with its errors and samples, without a script', async () => {
    const page = await readPage()
    for (const { operationId, method, path } of operations) {
      const section = page.slice(page.indexOf(`id="${operationId}"`)).split('</section>')[0]!
      for (const language of languages) expect(section).toContain(`<pre data-language="${language}"`)
      expect(section, operationId).toContain(`<b class="method ${method}">`)
      if (path.includes('{agentId}')) expect(section).toContain('<code>missing_permission</code>')
    }
  })

  test('links only to places that exist', async () => {
    const page = await readPage()
    const places = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(places.length).toBeGreaterThan(operations.length)
    expect(places.filter((id) => !page.includes(` id="${id}"`))).toEqual([])
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
  })
})
