import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../infra/local/emulator.ts'
import { credentials, region } from '../../infra/local/lambda.ts'
import { type Bucket, configuredBucket, FileOverwritten, FileTooLarge } from '../../shared/files/bucket.ts'
import { configuredPresigner, type FormUpload, type Presigner } from '../../shared/files/presigner.ts'

const page = 'http://127.0.0.1:8787'
const maxBytes = 1_000_000
let filesDir: string
let emulator: Emulator
let bucket: Bucket & Presigner

beforeAll(async () => {
  filesDir = await mkdtemp(join(tmpdir(), 'cuecard-files-test-'))
  await open()
})
afterEach(() => vi.unstubAllEnvs())
afterAll(async () => {
  await emulator.close()
  await rm(filesDir, { recursive: true })
})

async function open() {
  emulator = await startEmulator({ filesDir })
  emulator.allowOrigin(page)
  bucket = bucketAt()
}

/** Files as a Lambda has them, signed at that time. */
function bucketAt(now = () => new Date(), secretAccessKey = credentials.secretAccessKey): Bucket & Presigner {
  vi.stubEnv('FILES_BUCKET', emulator.bucket)
  vi.stubEnv('AWS_ENDPOINT_URL_S3', emulator.endpoint)
  vi.stubEnv('AWS_REGION', region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
  return { ...configuredBucket(), ...configuredPresigner(now) }
}

const newKey = (name = 'menu.pdf') => `${crypto.randomUUID()}/${crypto.randomUUID()}/${name}`

async function post({ url, fields }: FormUpload, content: string | Uint8Array<ArrayBuffer>, origin = page) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([content]), 'any name.pdf')
  const response = await fetch(url, { method: 'POST', body: form, headers: { origin } })
  return { status: response.status, headers: response.headers, code: codeOf(await response.text()) }
}

const codeOf = (xml: string) => /<Code>(\w+)<\/Code>/.exec(xml)?.[1]

async function get(url: string) {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** The text of a file; undefined if there is none. */
const textAt = async (key: string) => (await bucket.get(key, maxBytes))?.bytes.toString()

const ago = (seconds: number) => () => new Date(Date.now() - seconds * 1000)

describe('a form that a browser posts', () => {
  test('stores a file of any bytes as they are, and of as many as it may have, under the key that was signed', async () => {
    const key = newKey()
    const bytes = Uint8Array.from({ length: maxBytes }, (_, i) => (i * 7) % 256)
    expect(await post(bucket.presignPost(key, maxBytes), bytes)).toMatchObject({ status: 204 })
    expect((await bucket.get(key, maxBytes))?.bytes.equals(bytes)).toBe(true)
  })

  test.each([
    ['larger than allowed', 'x'.repeat(maxBytes + 1), 'EntityTooLarge'],
    ['empty', '', 'EntityTooSmall'],
  ])('is rejected when its file is %s, and nothing of it is kept', async (_, content, code) => {
    const key = newKey()
    const before = await readdir(filesDir, { recursive: true })
    expect(await post(bucket.presignPost(key, maxBytes), content)).toMatchObject({ status: 400, code })
    expect(await bucket.get(key, maxBytes)).toBeUndefined()
    expect(await readdir(filesDir, { recursive: true })).toEqual(before)
  })

  test('is rejected with another key, an additional field or a missing signed field', async () => {
    const { url, fields } = bucket.presignPost(newKey(), maxBytes)
    const { 'x-amz-date': _, ...withoutDate } = fields
    const redirected = { ...fields, success_action_redirect: 'https://elsewhere.example' }
    for (const changed of [{ ...fields, key: newKey() }, { ...fields, acl: 'public-read' }, redirected, withoutDate])
      expect(await post({ url, fields: changed }, 'x')).toMatchObject({ status: 403 })
  })

  test('is rejected an hour after it was signed', async () => {
    const signedAt = (seconds: number) => bucketAt(ago(seconds)).presignPost(newKey(), maxBytes)
    expect(await post(signedAt(3_590), 'x')).toMatchObject({ status: 204 })
    expect(await post(signedAt(3_601), 'x')).toMatchObject({ status: 403, code: 'AccessDenied' })
  })

  test('is rejected when somebody else signed it, its policy was changed, or nobody signed it', async () => {
    const forged = bucketAt(undefined, 'a guess').presignPost(newKey(), maxBytes)
    expect(await post(forged, 'x')).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    const { url, fields } = bucket.presignPost(newKey(), maxBytes)
    const policy = atob(fields.policy!).replace(`${maxBytes}`, `${10 * maxBytes}`)
    const widened = { ...fields, policy: btoa(policy) }
    expect(await post({ url, fields: widened }, 'x')).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    expect(await post({ url, fields: { key: fields.key! } }, 'x')).toMatchObject({ status: 403, code: 'AccessDenied' })
  })

  test('is rejected without a file, or when it is no form', async () => {
    const { url, fields } = bucket.presignPost(newKey(), maxBytes)
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const [sent, code] of [
      [{ body: form }, 'InvalidArgument'],
      [{ body: 'no form', headers }, 'MalformedPOSTRequest'],
    ] as const) {
      const response = await fetch(url, { method: 'POST', ...sent })
      expect([response.status, codeOf(await response.text())]).toEqual([400, code])
    }
  })
})

describe('an uploaded file', () => {
  test('is read whole or not at all, and by its ETag only while it is unchanged', async () => {
    const key = newKey()
    const form = bucket.presignPost(key, maxBytes)
    await post(form, 'Soup')
    const { eTag } = (await bucket.get(key, 4))!
    await expect(bucket.get(key, 3)).rejects.toThrow(FileTooLarge)
    await post(form, 'Soup')
    expect((await bucket.get(key, maxBytes, eTag))?.bytes.toString()).toBe('Soup')
    await post(form, 'Salad')
    await expect(bucket.get(key, maxBytes, eTag)).rejects.toThrow(FileOverwritten)
  })

  test('is downloaded by a signed URL, under its name, for five minutes', async () => {
    const key = newKey('Menü (neu).pdf')
    await post(bucket.presignPost(key, maxBytes), 'Soup')
    const { status, headers, body } = await get(bucket.presignGet(key, 'Menü (neu).pdf'))
    expect([status, body]).toEqual([200, 'Soup'])
    expect(headers.get('content-disposition')).toBe("inline; filename*=UTF-8''Men%C3%BC%20%28neu%29.pdf")
    const signedAt = (seconds: number) => bucketAt(ago(seconds)).presignGet(key, 'Menu.pdf')
    expect(await get(signedAt(290))).toMatchObject({ status: 200 })
    expect(codeOf((await get(signedAt(301))).body)).toBe('AccessDenied')
  })

  test('is not downloaded by a URL that is unsigned, or signed for another file', async () => {
    const [key, other] = [newKey(), newKey()]
    for (const each of [key, other]) await post(bucket.presignPost(each, maxBytes), 'Soup')
    const url = bucket.presignGet(key, 'menu.pdf')
    expect(codeOf((await get(url.split('?')[0]!)).body)).toBe('AccessDenied')
    expect(codeOf((await get(url.replace(key, other))).body)).toBe('SignatureDoesNotMatch')
    expect(codeOf((await get(url.replace('menu.pdf', 'bill.pdf'))).body)).toBe('SignatureDoesNotMatch')
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
  })

  test('is still there after a restart, under a key as long as S3 allows', async () => {
    const key = newKey('ü'.repeat(470))
    await post(bucket.presignPost(key, maxBytes), 'Soup of yesterday')
    await emulator.close()
    await open()
    expect(await textAt(key)).toBe('Soup of yesterday')
  })

  test('is listed by what its key begins with', async () => {
    const keys = ['b & c.txt', 'a.txt'].map((name) => newKey(name).replace(/^[^/]+/, 'one'))
    for (const key of [...keys, newKey()]) await post(bucket.presignPost(key, maxBytes), 'x')
    expect(await bucket.list('one/')).toEqual(keys.sort())
    expect(await bucket.list('two/')).toEqual([])
    const unsigned = await fetch(`${emulator.endpoint}/${emulator.bucket}?list-type=2`)
    expect(await unsigned.text()).not.toContain('one/')
  })

  test('is deleted with others, whatever their names; deleting them again is no error', async () => {
    const keys = [newKey(), newKey(`a&b <'"> + %20.txt`), newKey('ü.csv')]
    for (const key of keys) await post(bucket.presignPost(key, maxBytes), 'x')
    await bucket.delete(keys.slice(1))
    expect(await Promise.all(keys.map((key) => textAt(key)))).toEqual(['x', undefined, undefined])
    await bucket.delete(keys)
    expect(await bucket.get(keys[0]!, maxBytes)).toBeUndefined()
  })
})

describe('a page', () => {
  const preflight = (origin: string, method = 'POST', more = {}) => {
    const headers = { origin, 'access-control-request-method': method, ...more }
    return fetch(`${emulator.endpoint}/${emulator.bucket}/`, { method: 'OPTIONS', headers })
  }

  test('of the gateway may read a file by a signed link, in a request without headers of its own', async () => {
    const key = newKey()
    await post(bucket.presignPost(key, maxBytes), 'a text')
    const link = bucket.presignGet(key, 'menu.pdf')
    const read = async (origin: string) => (await fetch(link, { headers: { origin } })).headers
    expect((await read(page)).get('access-control-allow-origin')).toBe(page)
    expect((await read('http://evil.example')).get('access-control-allow-origin')).toBeNull()
    expect((await preflight(page, 'GET', { 'access-control-request-headers': 'range' })).status).toBe(403)
  })

  test('of the gateway may post files, and reads the answer', async () => {
    const answer = await preflight(page)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page])
    for (const most of [maxBytes, 1]) {
      const { headers } = await post(bucket.presignPost(newKey(), most), 'a text')
      expect(headers.get('access-control-allow-origin')).toBe(page)
    }
  })

  test('of another origin may do neither, nor may one with other methods and headers', async () => {
    expect((await preflight('http://evil.example')).status).toBe(403)
    expect((await preflight(page, 'PUT')).status).toBe(403)
    expect((await preflight(page, 'POST', { 'access-control-request-headers': 'hx-request' })).status).toBe(403)
    const { headers } = await post(bucket.presignPost(newKey(), maxBytes), 'x', 'http://evil.example')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})
