import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Bucket, configuredBucket, FileOverwritten } from '../../shared/files/bucket.ts'
import { configuredPresigner } from '../../shared/files/presigner.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { listen } from '../support/http/loopback.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closers.splice(0)) await close()
})

const role = {
  FILES_BUCKET: 'cuecard-prod-files-111122223333-eu-central-1',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  AWS_ENDPOINT_URL_S3: '',
}

function useRole(env: Partial<typeof role> = {}) {
  for (const [name, value] of Object.entries({ ...role, ...env })) vi.stubEnv(name, value)
}

/** A bucket on an S3 of which the listener answers. */
async function bucketOf(listener: RequestListener): Promise<Bucket> {
  const { origin, close } = await listen(listener)
  closers.push(close)
  useRole({ AWS_ENDPOINT_URL_S3: origin })
  return configuredBucket()
}

const fails =
  (status: number, code: string, message: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
  }

const denied = (action: string) =>
  `User: arn:aws:sts::111122223333:assumed-role/extraction is not authorized to perform: ${action} on resource: "arn:aws:s3:::files" because no identity-based policy allows the ${action} action`

test('on AWS, forms and downloads use the bucket’s own host, and a form carries the session of the Lambda', () => {
  useRole()
  const files = configuredPresigner()
  const { url, fields } = files.presignPost('o/d/menu.pdf', 5)
  expect(files.origin).toBe('https://cuecard-prod-files-111122223333-eu-central-1.s3.eu-central-1.amazonaws.com')
  expect(url).toBe(`${files.origin}/`)
  expect(fields).toMatchObject({ key: 'o/d/menu.pdf', 'x-amz-security-token': 'session' })
  const { conditions } = JSON.parse(Buffer.from(fields.policy!, 'base64').toString())
  const expected = [{ bucket: files.bucket }, { key: 'o/d/menu.pdf' }, ['content-length-range', 1, 5]]
  expect(conditions).toEqual(expect.arrayContaining(expected))
  expect(files.presignGet('o/d/Menü 1+1.pdf', 'Menü.pdf')).toMatch(`${files.origin}/o/d/Men%C3%BC%201%2B1.pdf?`)
})

describe('a file', () => {
  test.each([
    ['there is no such key', 404, 'NoSuchKey', 'The specified key does not exist.'],
    ['the role may not list the bucket', 403, 'AccessDenied', denied('s3:ListBucket')],
    ['S3 gives no reason', 403, 'AccessDenied', 'Access Denied'],
  ])('is missing if %s', async (_, status, code, message) => {
    const bucket = await bucketOf(fails(status, code, message))
    expect(await bucket.get('o/d/menu.pdf', 10)).toBeUndefined()
  })

  test.each([
    ['the role may not get it', 403, 'AccessDenied', denied('s3:GetObject')],
    ['the credentials are wrong', 403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist'],
    ['there is no such bucket', 404, 'NoSuchBucket', 'The specified bucket does not exist'],
  ])('is unreachable if %s', async (_, status, code, message) => {
    const bucket = await bucketOf(fails(status, code, message))
    await expect(bucket.get('o/d/menu.pdf', 10)).rejects.toThrow(Unavailable)
    await expect(bucket.get('o/d/menu.pdf', 10)).rejects.toMatchObject({ service: 'file_storage' })
  })

  test('is read despite one failure of S3', async () => {
    let requests = 0
    const bucket = await bucketOf((request, response) => {
      if (requests++ === 0) fails(503, 'SlowDown', 'Reduce your request rate.')(request, response)
      else response.end('Soup')
    })
    expect((await bucket.get('o/d/menu.pdf', 10))?.bytes.toString()).toBe('Soup')
  })

  test('that was overwritten is not read', async () => {
    const bucket = await bucketOf((request, response) => {
      if (request.headers['if-match'] === '"new"') response.end('Soup')
      else fails(412, 'PreconditionFailed', 'At least one of the pre-conditions did not hold')(request, response)
    })
    await expect(bucket.get('o/d/menu.pdf', 10, '"old"')).rejects.toThrow(FileOverwritten)
  })

  test('that is too large is not read', async () => {
    const bucket = await bucketOf((_request, response) => {
      response.writeHead(200, { 'content-length': 11 })
      response.write('only this much ever comes'.slice(0, 5))
    })
    await expect(bucket.get('o/d/menu.pdf', 10)).rejects.toThrow('o/d/menu.pdf has more than 10 bytes')
  })

  test('that ends too early counts as unreachable', async () => {
    const bucket = await bucketOf((_request, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('half', () => response.destroy())
    })
    await expect(bucket.get('o/d/menu.pdf', 10)).rejects.toThrow(Unavailable)
  })
})

describe('deleting', () => {
  test('fails if S3 keeps one of the files', async () => {
    const bucket = await bucketOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' })
      const error = '<Key>o/d/b.pdf</Key><Code>InternalError</Code><Message>Try again</Message>'
      response.end(`<DeleteResult><Error>${error}</Error></DeleteResult>`)
    })
    const fault = { service: 'file_storage', cause: { message: 'o/d/b.pdf: InternalError Try again' } }
    await expect(bucket.delete(['o/d/a.pdf', 'o/d/b.pdf'])).rejects.toMatchObject(fault)
  })

  test('sends S3 at most a thousand files at once, and nothing if there are none', async () => {
    const sizes: number[] = []
    const bucket = await bucketOf(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      sizes.push(body.split('<Key>').length - 1)
      response.end('<DeleteResult></DeleteResult>')
    })
    await bucket.delete(Array.from({ length: 1_001 }, (_, i) => `o/d/${i}.pdf`))
    await bucket.delete([])
    expect(sizes).toEqual([1_000, 1])
  })
})
