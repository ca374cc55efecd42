import { createHash, createHmac } from 'node:crypto'

/** A Lambda's credentials end with its session, and so does what they sign. */
export interface Signer {
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

const algorithm = 'AWS4-HMAC-SHA256'

/** Signature version 4 of S3. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html */
export function signature({ secretAccessKey, region }: Signer, time: string, text: string): string {
  const key = [dayOf(time), region, 's3', 'aws4_request'].reduce(
    (key: string | Buffer, part) => hmac(key, part).digest(),
    `AWS4${secretAccessKey}`,
  )
  return hmac(key, text).digest('hex')
}

/** The conditions that a form's fields must meet, and the fields that prove who has set them. */
export function signPolicy(
  signer: Signer,
  { conditions, expires, now }: { conditions: unknown[]; expires: Date; now: Date },
): Record<string, string> {
  const fields = credentialFields(signer, now)
  const exact = Object.entries(fields).map(([name, value]) => ({ [name]: value }))
  const document = { expiration: expires.toISOString(), conditions: [...conditions, ...exact] }
  const policy = Buffer.from(JSON.stringify(document)).toString('base64')
  return { ...fields, policy, 'x-amz-signature': signature(signer, fields['x-amz-date'], policy) }
}

export function signUrl(
  signer: Signer,
  url: string,
  { parameters = {}, seconds, now }: { parameters?: Record<string, string>; seconds: number; now: Date },
): string {
  const { host, pathname } = new URL(url)
  const fields = credentialFields(signer, now)
  const named = Object.entries(fields).map(([name, value]) => [name.replace(/(^x|-[a-z])/g, upper), value] as const)
  const query = [
    ...Object.entries(parameters),
    ...named,
    ['X-Amz-Expires', `${seconds}`] as const,
    ['X-Amz-SignedHeaders', 'host'] as const,
  ]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
  const request = ['GET', pathname, query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const time = fields['x-amz-date']
  const text = [algorithm, time, scopeOf(signer, time), createHash('sha256').update(request).digest('hex')].join('\n')
  return `${url}?${query}&X-Amz-Signature=${signature(signer, time, text)}`
}

/** Percent-encodes all but unreserved characters, as S3 requires in paths and signatures. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function credentialFields(signer: Signer, now: Date) {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  return {
    'x-amz-algorithm': algorithm,
    'x-amz-credential': `${signer.accessKeyId}/${scopeOf(signer, time)}`,
    'x-amz-date': time,
    ...(signer.sessionToken && { 'x-amz-security-token': signer.sessionToken }),
  }
}

const scopeOf = ({ region }: Signer, time: string) => `${dayOf(time)}/${region}/s3/aws4_request`
const dayOf = (time: string) => time.slice(0, 8)
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)
const upper = (text: string) => text.toUpperCase()
