import { timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { type Signer, signature, signUrl } from '../../../shared/files/signing.ts'
import { S3Error } from './s3-error.ts'

const size = v.pipe(v.number(), v.integer(), v.minValue(0))
const condition = v.union([
  v.strictTuple([v.literal('content-length-range'), size, size]),
  v.strictTuple([v.picklist(['eq', 'starts-with']), v.pipe(v.string(), v.startsWith('$')), v.string()]),
  v.record(v.string(), v.string()),
])
const policySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({ expiration: v.pipe(v.string(), v.isoTimestamp()), conditions: v.array(condition) }),
)

export type FormFields = Readonly<Record<string, string>>

/** Fields that no condition has to name. */
const uncontrolled = /^(policy|x-amz-signature|file|bucket|x-ignore-.*)$/

/** Checks a form's fields as S3 does. @returns how many bytes the file may have. @throws S3Error */
export function checkPolicy(fields: FormFields, signer: Signer, now: Date): { min: number; max: number } {
  const { policy: encoded, 'x-amz-date': time = '', 'x-amz-signature': signed = '' } = fields
  if (encoded === undefined) throw new S3Error(403, 'AccessDenied', 'Access Denied')
  if (!isSame(signed, signature(signer, time, encoded))) throw signatureDoesNotMatch()
  const { success, output: policy } = v.safeParse(policySchema, Buffer.from(encoded, 'base64').toString())
  if (!success) throw new S3Error(400, 'InvalidPolicyDocument', 'Invalid Policy: Invalid JSON or condition.')
  if (Date.parse(policy.expiration) <= now.getTime()) throw refused('Policy expired.')

  const named = new Set<string>()
  let range = { min: 0, max: Number.POSITIVE_INFINITY }
  for (const rule of policy.conditions.flatMap(toRules)) {
    if (rule[0] === 'content-length-range') {
      range = { min: rule[1], max: rule[2] }
      continue
    }
    const [operator, name, wanted] = rule
    named.add(name)
    const value = fields[name] ?? ''
    if (operator === 'eq' ? value !== wanted : !value.startsWith(wanted))
      throw refused(`Policy Condition failed: ["${operator}", "$${name}", "${wanted}"]`)
  }
  const extra = Object.keys(fields).filter((name) => !named.has(name) && !uncontrolled.test(name))
  if (extra.length > 0) throw refused(`Extra input fields: ${extra.join(', ')}`)
  return range
}

type Rule = ['content-length-range', number, number] | ['eq' | 'starts-with', string, string]

/** Field names lose their `$` and become lower case. */
function toRules(one: v.InferOutput<typeof condition>): Rule[] {
  if (!Array.isArray(one)) return Object.entries(one).map(([name, value]): Rule => ['eq', name.toLowerCase(), value])
  return one[0] === 'content-length-range' ? [one] : [[one[0], one[1].slice(1).toLowerCase(), one[2]]]
}

function refused(why: string): S3Error {
  return new S3Error(403, 'AccessDenied', `Invalid according to Policy: ${why}`)
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

/** @throws S3Error unless we have signed the URL, and in time */
export function checkSignedUrl(url: URL, signer: Signer, now: Date): void {
  const query = Object.fromEntries(url.searchParams)
  const { 'X-Amz-Signature': signed, 'X-Amz-Date': time = '', 'X-Amz-Expires': seconds = '' } = query
  if (!signed) throw new S3Error(403, 'AccessDenied', 'Access Denied')
  const begin = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(begin.getTime()) || !/^\d+$/.test(seconds))
    throw new S3Error(400, 'AuthorizationQueryParametersError', 'X-Amz-Date or X-Amz-Expires is malformed')
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
