import { config, required } from '../config.ts'
import { report } from '../telemetry/metrics.ts'
import { inTime } from '../time/deadline.ts'
import { callAws } from './json-call.ts'

/** A mail of plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** @throws Unavailable when SES has not accepted the mail within five seconds */
  send(mail: Mail): Promise<void>
}

const deadlineMilliseconds = 5_000

/** Sends by SES; undefined without `MAIL_FROM`. */
export function configuredMailer(): Mailer | undefined {
  const { MAIL_FROM, AWS_ENDPOINT_URL_SESV2: endpoint } = config()
  if (MAIL_FROM === undefined) return undefined
  const origin = endpoint ?? `https://email.${required('AWS_REGION')}.amazonaws.com`
  return {
    async send({ to, subject, text }) {
      const input = {
        FromEmailAddress: MAIL_FROM,
        Destination: { ToAddresses: [to] },
        Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
      }
      await inTime('mail', deadlineMilliseconds, (signal) =>
        callAws({ service: 'ses', url: `${origin}/v2/email/outbound-emails`, input, signal }),
      ).catch((error) => {
        report({ MailsFailed: 1 })
        throw error
      })
    },
  }
}

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
