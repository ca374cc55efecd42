import { configuredSigner, encoded, signPolicy, signUrl } from '../aws/signing.ts'
import { config, required } from '../config.ts'
import { formSeconds } from './upload-time.ts'

/** A form for `multipart/form-data`: the fields in this order, then the file, named `file`. */
export interface FormUpload {
  url: string
  fields: Record<string, string>
}

/** Signs requests that others send to the bucket of customers' files. */
export interface Presigner {
  readonly bucket: string
  readonly origin: string
  /** A form that stores a file of 1 to `maxBytes` bytes under exactly this key, any number of times within an hour after `since`. */
  presignPost(key: string, maxBytes: number, since?: Date): FormUpload
  /** A URL, valid for five minutes, at which a browser shows a PDF, and from which it downloads any other file under this name. */
  presignGet(key: string, fileName: string): string
}

const downloadSeconds = 5 * 60

export function configuredPresigner(now = () => new Date()): Presigner {
  const bucket = required('FILES_BUCKET')
  const { AWS_ENDPOINT_URL_S3: endpoint } = config()
  const signer = configuredSigner()
  const url = endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.s3.${signer.region}.amazonaws.com`
  return {
    bucket,
    origin: new URL(url).origin,
    presignPost(key, maxBytes, since = now()) {
      const conditions = [{ bucket }, { key }, ['content-length-range', 1, maxBytes]]
      const expires = new Date(since.getTime() + formSeconds * 1000)
      return { url: `${url}/`, fields: { key, ...signPolicy(signer, { conditions, expires, now: now() }) } }
    },
    presignGet(key, fileName) {
      const isPdf = /\.pdf$/i.test(fileName)
      const parameters = {
        'response-content-disposition': `${isPdf ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(fileName)}`,
        ...(isPdf && { 'response-content-type': 'application/pdf' }),
      }
      return signUrl(signer, `${url}/${key.split('/').map(encoded).join('/')}`, {
        parameters,
        seconds: downloadSeconds,
        now: now(),
      })
    },
  }
}
