import { type Signer, signature, signUrl } from '../../../shared/aws/signing.ts'

export type FormFields = Readonly<Record<string, string>>

/** The policy that `presignPost` signs. No other conditions are checked. */
interface Policy {
  expiration: string
  conditions: (Record<string, string> | ['content-length-range', number, number])[]
}

const uncontrolled = /^(policy|x-amz-signature|file|bucket|x-ignore-.*)$/

/** Checks a form's fields like S3. @returns the file's minimum and maximum bytes @throws S3Error */
export function checkPolicy(fields: FormFields, signer: Signer, now: Date): { min: number; max: number } {
  const { policy, 'x-amz-date': time = '', 'x-amz-signature': signed } = fields
  if (policy === undefined) throw new S3Error(403, 'AccessDenied', 'Access Denied')
  if (signed !== signature(signer, time, policy)) throw signatureDoesNotMatch()
  const { expiration, conditions }: Policy = JSON.parse(Buffer.from(policy, 'base64').toString())
  if (Date.parse(expiration) <= now.getTime()) throw refused('Policy expired.')

  const named = new Set<string>()
  const range = { min: 0, max: 0 }
  for (const condition of conditions) {
    if (Array.isArray(condition)) [, range.min, range.max] = condition
    else
      for (const [name, wanted] of Object.entries(condition)) {
        named.add(name)
        if (fields[name] !== wanted) throw refused(`Policy Condition failed: ["eq", "$${name}", "${wanted}"]`)
      }
  }
  const extra = Object.keys(fields).filter((name) => !named.has(name) && !uncontrolled.test(name))
  if (extra.length > 0) throw refused(`Extra input fields: ${extra.join(', ')}`)
  return range
}

function refused(why: string): S3Error {
  return new S3Error(403, 'AccessDenied', `Invalid according to Policy: ${why}`)
}

/** @throws S3Error unless the signer has signed the URL and it has not expired */
export function checkSignedUrl(url: URL, signer: Signer, now: Date): void {
  const query = Object.fromEntries(url.searchParams)
  const { 'X-Amz-Signature': signed, 'X-Amz-Date': time = '', 'X-Amz-Expires': seconds = '' } = query
  const begin = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!signed || Number.isNaN(begin.getTime())) throw new S3Error(403, 'AccessDenied', 'Access Denied')
  const parameters = Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith('X-Amz-')))
  const plain = `${url.origin}${url.pathname}`
  const expected = new URL(signUrl(signer, plain, { parameters, seconds: Number(seconds), now: begin }))
  if (expected.searchParams.get('X-Amz-Signature') !== signed) throw signatureDoesNotMatch()
  if (now.getTime() > begin.getTime() + Number(seconds) * 1000)
    throw new S3Error(403, 'AccessDenied', 'Request has expired')
}

function signatureDoesNotMatch(): S3Error {
  const message =
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.'
  return new S3Error(403, 'SignatureDoesNotMatch', message)
}

export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }

  toXml(): string {
    return `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>${this.code}</Code><Message>${escaped(this.message)}</Message><RequestId>${crypto.randomUUID()}</RequestId></Error>`
  }
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
