import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { FormFields } from './policy.ts'
import { S3Error } from './s3-error.ts'

/** Reads a form as S3 does: fields after the file do not count. @throws S3Error, or what `onFile` throws once the form is read */
export async function readForm<Result>(
  request: IncomingMessage,
  onFile: (fields: FormFields, file: Readable) => Promise<Result>,
): Promise<Result> {
  const { 'content-type': contentType = '', 'content-length': length } = request.headers
  if (length === undefined)
    throw new S3Error(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
  const fields: Record<string, string> = {}
  let received: Promise<Result> | undefined
  const form = new Busboy({ headers: { ...request.headers, 'content-type': contentType }, limits: { files: 1 } })
  form.on('field', (name, value) => {
    if (!received) fields[name.toLowerCase()] = value
  })
  form.on('file', (_name, file) => {
    received = onFile(fields, file).finally(() => file.resume())
    received.catch(() => {})
  })
  await pipeline(request, form).catch((error: Error) => {
    throw new S3Error(400, 'MalformedPOSTRequest', error.message)
  })
  if (!received) throw new S3Error(400, 'InvalidArgument', 'POST requires exactly one file upload per request.')
  return await received
}
