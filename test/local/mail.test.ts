import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../infra/local/emulator.ts'
import { credentials, region } from '../../infra/local/lambda.ts'
import { callAws } from '../../shared/aws/json-call.ts'
import { configuredMailer } from '../../shared/aws/mail.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { listen } from '../support/http/loopback.ts'
import { figuresOf } from '../support/logs/figures-of.ts'

let emulator: Emulator

beforeEach(async () => {
  emulator = await startEmulator()
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', emulator.endpoint)
  vi.stubEnv('AWS_REGION', region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  vi.stubEnv('MAIL_FROM', 'Cuecard <hello@example.com>')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await emulator.close()
})

const mail = {
  to: 'ada@example.com',
  subject: 'Für Ada',
  text: 'Guten Morgen.\n\nEin Link: https://example.com/?a=b\n',
}

const request = {
  FromEmailAddress: 'hello@example.com',
  Destination: { ToAddresses: ['ada@example.com'] },
  Content: { Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'Good morning.' } } } },
}

const send = (input: object) =>
  callAws({
    service: 'ses',
    url: `${emulator.endpoint}/v2/email/outbound-emails`,
    input,
    signal: AbortSignal.timeout(5000),
  })

test('a mail arrives as it was sent', async () => {
  await configuredMailer()!.send(mail)
  expect(emulator.mails).toEqual([{ ...mail, from: 'Cuecard <hello@example.com>', to: [mail.to] }])
})

test('a mail that SES does not accept is counted, for an alarm', async () => {
  const { origin, close } = await listen((_, response) =>
    response
      .writeHead(400, { 'x-amzn-errortype': 'MessageRejected' })
      .end('{"message":"Email address is not verified."}'),
  )
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', origin)
  const sending = () => expect(configuredMailer()!.send(mail)).rejects.toThrow(Unavailable)
  expect(await figuresOf(sending)).toEqual({ MailsFailed: 1 })
  await close()
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', emulator.endpoint)
  expect(await figuresOf(() => configuredMailer()!.send(mail))).toEqual({})
})

test('there is no mailer without MAIL_FROM', () => {
  vi.stubEnv('MAIL_FROM', '')
  expect(configuredMailer()).toBeUndefined()
})

test('the last hundred mails are kept', async () => {
  for (let i = 1; i <= 101; i++) await send({ ...request, FromEmailAddress: `${i}@example.com` })
  expect([emulator.mails.length, emulator.mails[0]?.from]).toEqual([100, '2@example.com'])
})

test.each([
  ['no sender', { FromEmailAddress: undefined }],
  ['a sender without an address', { FromEmailAddress: 'Cuecard' }],
  ['no recipient', { Destination: { ToAddresses: [] } }],
  ['51 recipients', { Destination: { ToAddresses: Array(51).fill('ada@example.com') } }],
  ['no content', { Content: {} }],
  ['no text', { Content: { Simple: { Subject: { Data: 'Hello' }, Body: {} } } }],
  ['an unknown field', { Sender: 'hello@example.com' }],
])('SES refuses a mail with %s', async (_, change) => {
  await expect(send({ ...request, ...change })).rejects.toMatchObject({ name: 'BadRequestException', status: 400 })
  expect(emulator.mails).toEqual([])
})

test('SES refuses a mail whose request is not signed for it', async () => {
  const url = `${emulator.endpoint}/v2/email/outbound-emails`
  const signedFor = (service: string) => ({
    authorization: `AWS4-HMAC-SHA256 Credential=local/20270131/${region}/${service}/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  })
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) })).status
  expect(await statusWith({})).toBe(403)
  expect(await statusWith(signedFor('sqs'))).toBe(403)
  expect(await statusWith(signedFor('ses'))).toBe(200)
})

test('a refusal by SES is reported as unavailable, with AWS’s code and message', async () => {
  let attempts = 0
  const ses = await listen((_, response) => {
    attempts++
    response.writeHead(400, {
      'x-amzn-errortype': 'MessageRejected:http://internal.amazon.com/coral/com.amazonaws.ses/',
    })
    response.end('{"message":"Email address is not verified."}')
  })
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', ses.origin)
  const error = await configuredMailer()!
    .send(mail)
    .catch((thrown: unknown) => thrown)
  await ses.close()
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({
    service: 'mail',
    cause: { name: 'MessageRejected', message: 'Email address is not verified.' },
  })
  expect(attempts).toBe(1)
})
