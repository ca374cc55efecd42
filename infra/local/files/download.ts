import { type Signer, signUrl } from '../../../shared/files/signing.ts'
import { S3Error } from './s3-error.ts'

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
  if (expected.searchParams.get('X-Amz-Signature') !== signed)
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    )
  if (now.getTime() > begin.getTime() + Number(seconds) * 1000)
    throw new S3Error(403, 'AccessDenied', 'Request has expired')
}
