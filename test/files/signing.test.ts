import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { expect, test } from 'vitest'
import { signature, signPolicy, signPost, signUrl } from '../../shared/aws/signing.ts'
import { listen } from '../support/http/loopback.ts'

/** The credentials of the examples in AWS's documentation. */
const signer = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}

test('a URL has the signature of AWS’s example', () => {
  const url = 'https://examplebucket.s3.amazonaws.com/test.txt'
  const signed = new URL(signUrl(signer, url, { seconds: 86_400, now: new Date('2013-05-24T00:00:00Z') }))
  expect(Object.fromEntries(signed.searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  })
})

test('a policy has the signature of AWS’s example', () => {
  const lines = [
    '{ "expiration": "2015-12-30T12:00:00.000Z",',
    '  "conditions": [',
    '    {"bucket": "sigv4examplebucket"},',
    '    ["starts-with", "$key", "user/user1/"],',
    '    {"acl": "public-read"},',
    '    {"success_action_redirect": "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"},',
    '    ["starts-with", "$Content-Type", "image/"],',
    '    {"x-amz-meta-uuid": "14365123651274"},',
    '    {"x-amz-server-side-encryption": "AES256"},',
    '    ["starts-with", "$x-amz-meta-tag", ""],',
    '',
    '    {"x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},',
    '    {"x-amz-algorithm": "AWS4-HMAC-SHA256"},',
    '    {"x-amz-date": "20151229T000000Z" }',
    '  ]',
    '}',
  ]
  const policy = Buffer.from(lines.join('\r\n')).toString('base64')
  expect(signature(signer, '20151229T000000Z', policy)).toBe(
    '8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e',
  )
})

test('every field of a form’s signature is a condition of its policy, including a Lambda’s session', () => {
  const session = { ...signer, sessionToken: 'token+of/a=session' }
  const now = new Date('2027-01-31T09:00:00Z')
  const expires = new Date('2027-01-31T10:00:00Z')
  const { policy, 'x-amz-signature': signed, ...fields } = signPolicy(session, { conditions: [], expires, now })
  expect(JSON.parse(Buffer.from(policy!, 'base64').toString())).toEqual({
    expiration: '2027-01-31T10:00:00.000Z',
    conditions: Object.entries(fields).map(([name, value]) => ({ [name]: value })),
  })
  expect(fields['x-amz-security-token']).toBe(session.sessionToken)
  expect(signed).toBe(signature(session, '20270131T090000Z', policy!))
})

test('a URL with a session token and special characters in its key and file name has the signature of AWS’s SDK', () => {
  const url = 'https://files.s3.eu-central-1.amazonaws.com/o/d/Men%C3%BC%20%281%29%21%2A%27%26%2B%C3%A4%2520%20b.pdf'
  const session = { ...signer, region: 'eu-central-1', sessionToken: 'IQoJ+b3/Jp=Z2lu' }
  const parameters = { 'response-content-disposition': "attachment; filename*=UTF-8''Men%C3%BC%20%281%29.pdf" }
  const signed = signUrl(session, url, { parameters, seconds: 300, now: new Date('2026-05-24T10:11:12Z') })
  expect(new URL(signed).searchParams.get('X-Amz-Signature')).toBe(
    '82c2dccc6017981ae83179c965672299e899ae1bc2553160d81eaa035a7ea05a',
  )
})

const sdks = {
  secretsmanager: (settings: object) =>
    new SecretsManagerClient(settings).send(new GetSecretValueCommand({ SecretId: 'provider' })),
  lambda: (settings: object) =>
    new LambdaClient(settings).send(new InvokeCommand({ FunctionName: 'cuecard', Qualifier: '7', Payload: '{}' })),
}

test.each([
  ['secretsmanager', undefined],
  ['secretsmanager', 'session'],
  ['lambda', 'session'],
] as const)('a POST to %s has the signature of AWS’s SDK, with the session token %s', async (service, sessionToken) => {
  const sent = Promise.withResolvers<Pick<IncomingMessage, 'headers' | 'url'> & { body: string }>()
  const { origin, close } = await listen(async (request, response) => {
    sent.resolve({ url: request.url, headers: request.headers, body: await text(request) })
    response.end('{}')
  })
  const credentials = { ...signer, sessionToken }
  await sdks[service]({ region: signer.region, endpoint: origin, credentials })
  const { url, headers, body } = await sent.promise
  await close()
  const ours = ['host', 'x-amz-date', 'x-amz-security-token']
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization!)![1]!.split(';')
  const given = Object.fromEntries(names.filter((name) => !ours.includes(name)).map((name) => [name, headers[name]]))
  const time = String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5')
  const request = { url: `${origin}${url}`, headers: given as Record<string, string>, body, now: new Date(time) }
  expect(signPost({ ...credentials }, service, request).authorization).toBe(headers.authorization)
})
