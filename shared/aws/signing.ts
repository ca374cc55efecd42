import { createHash, createHmac } from 'node:crypto'
import { config, required } from '../config.ts'

/** A Lambda's credentials expire with its session, and so do the signatures made with them. */
export interface Signer {
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

/** The credentials of a Lambda's role, which its environment holds. */
export function configuredSigner(): Signer {
  return {
    region: required('AWS_REGION'),
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    sessionToken: config().AWS_SESSION_TOKEN,
  }
}

const algorithm = 'AWS4-HMAC-SHA256'

/** Signature version 4. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html */
export function signature({ secretAccessKey, region }: Signer, time: string, text: string, service = 's3'): string {
  const key = [dayOf(time), region, service, 'aws4_request'].reduce(
    (key: string | Buffer, part) => hmac(key, part).digest(),
    `AWS4${secretAccessKey}`,
  )
  return hmac(key, text).digest('hex')
}

/** Signs the conditions that a form's fields must meet. @returns the fields that carry the policy and its signature */
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
  return `${url}?${query}&X-Amz-Signature=${requestSignature(signer, fields['x-amz-date'], request, 's3')}`
}

/** Adds the headers that sign a POST. The path must need no encoding, and the query have one parameter at most. */
export function signPost(
  signer: Signer,
  service: string,
  { url, headers, body, now }: { url: string; headers: Record<string, string>; body: string; now: Date },
): Record<string, string> {
  const time = timeOf(now)
  const { sessionToken } = signer
  const sent = { ...headers, 'x-amz-date': time, ...(sessionToken && { 'x-amz-security-token': sessionToken }) }
  const { host, pathname, search } = new URL(url)
  const signed = Object.entries({ ...sent, host }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const lines = signed.map(([name, value]) => `${name}:${value}`)
  const request = ['POST', pathname, search.slice(1), ...lines, '', names, sha256(body)].join('\n')
  const credential = `Credential=${signer.accessKeyId}/${scopeOf(signer, time, service)}`
  const proof = `Signature=${requestSignature(signer, time, request, service)}`
  return { ...sent, authorization: `${algorithm} ${credential}, SignedHeaders=${names}, ${proof}` }
}

function requestSignature(signer: Signer, time: string, request: string, service: string): string {
  const text = [algorithm, time, scopeOf(signer, time, service), sha256(request)].join('\n')
  return signature(signer, time, text, service)
}

/** Percent-encodes all but unreserved characters, as S3 requires in paths and signatures. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function credentialFields(signer: Signer, now: Date) {
  const time = timeOf(now)
  return {
    'x-amz-algorithm': algorithm,
    'x-amz-credential': `${signer.accessKeyId}/${scopeOf(signer, time)}`,
    'x-amz-date': time,
    ...(signer.sessionToken && { 'x-amz-security-token': signer.sessionToken }),
  }
}

const scopeOf = ({ region }: Signer, time: string, service = 's3') => `${dayOf(time)}/${region}/${service}/aws4_request`
const timeOf = (now: Date) => now.toISOString().replace(/[-:]|\.\d+/g, '')
const dayOf = (time: string) => time.slice(0, 8)
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const upper = (text: string) => text.toUpperCase()
