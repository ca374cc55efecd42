import type { buildApp } from 'fauxqs'
import * as v from 'valibot'
import { region } from './lambda.ts'

/** A mail that was accepted for sending. */
export interface SentMail {
  from: string
  to: string[]
  subject: string
  text: string
}

const content = v.strictObject({ Data: v.string(), Charset: v.optional(v.string()) })
const address = v.pipe(v.string(), v.regex(/^[^@]*[^\s@<>]@[^\s@<>]+>?$/))

/** The part of `SendEmailRequest` for a mail of plain text. */
const sendEmail = v.strictObject({
  FromEmailAddress: address,
  Destination: v.strictObject({ ToAddresses: v.pipe(v.array(address), v.minLength(1), v.maxLength(50)) }),
  Content: v.strictObject({
    Simple: v.strictObject({ Subject: content, Body: v.strictObject({ Text: content }) }),
  }),
})

const signed = new RegExp(
  `^AWS4-HMAC-SHA256 Credential=[^/]+/\\d{8}/${region}/ses/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$`,
)

/** Adds SES v2's `SendEmail` for plain-text mails. Rejects everything else. */
export function serveMail(app: ReturnType<typeof buildApp>, onMail: (mail: SentMail) => void): void {
  app.post('/v2/email/outbound-emails', ({ headers, body }, reply) => {
    const refuse = (status: number, code: string, message: string) =>
      reply.code(status).header('x-amzn-errortype', code).send({ message })
    if (!signed.test(headers.authorization ?? ''))
      return refuse(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token')
    const { success, output, issues } = v.safeParse(v.pipe(v.string(), v.parseJson(), sendEmail), String(body))
    if (!success)
      return refuse(
        400,
        'BadRequestException',
        issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`).join('; '),
      )
    const { Subject, Body } = output.Content.Simple
    onMail({
      from: output.FromEmailAddress,
      to: output.Destination.ToAddresses,
      subject: Subject.Data,
      text: Body.Text.Data,
    })
    return reply.send({ MessageId: crypto.randomUUID() })
  })
}
