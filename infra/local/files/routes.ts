import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { buildApp } from 'fauxqs'
import type { Signer } from '../../../shared/aws/signing.ts'
import { filesCors } from '../../cors.ts'
import type { FileFolder } from './folder.ts'
import { checkPolicy, checkSignedUrl, escaped, type FormFields, S3Error } from './policy.ts'

interface ServedFiles {
  bucket: string
  folder: FileFolder
  signer: Signer
  origins: ReadonlySet<string>
}

type App = ReturnType<typeof buildApp>

/** Adds the parts of S3 that fauxqs 1.9 lacks: forms, signed URLs, CORS, and files that outlast the process. Its own bucket stays empty. */
export function serveFiles(app: App, { bucket, folder, signer, origins }: ServedFiles): void {
  const root = `/${bucket}/`
  const keyOf = ({ pathname }: URL) => decodeURIComponent(pathname.slice(root.length))

  app.addHook('onRequest', async (request, reply) => {
    const url = new URL(request.url, `http://${request.headers.host}`)
    const { method, headers } = request
    if (`${url.pathname}/`.startsWith(root) && url.searchParams.has('list-type') && headers.authorization !== undefined)
      return reply.type('application/xml').send(listXml(await folder.list(url.searchParams.get('prefix') ?? ''), url))
    if (!url.pathname.startsWith(root)) return
    const cors = corsHeaders(request, origins)
    if (cors) reply.headers(cors)
    try {
      if (method === 'OPTIONS') {
        if (!cors) throw new S3Error(403, 'AccessForbidden', 'CORSResponse: This CORS request is not allowed.')
        return reply.send('')
      }
      if (method === 'POST' && headers['content-type']?.startsWith('multipart/form-data')) {
        const { eTag } = await takeForm(request)
        return reply.code(204).header('etag', eTag).send()
      }
      if (headers.authorization === undefined) {
        if (method !== 'GET') throw new S3Error(403, 'AccessDenied', 'Access Denied')
        checkSignedUrl(url, signer, new Date())
      }
      const file = method === 'GET' ? await folder.find(keyOf(url)) : undefined
      if (!file) return
      if (headers['if-match'] && headers['if-match'] !== file.eTag)
        throw new S3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
      const disposition = url.searchParams.get('response-content-disposition')
      if (disposition) reply.header('content-disposition', disposition)
      return reply
        .type(url.searchParams.get('response-content-type') ?? 'binary/octet-stream')
        .headers({ etag: file.eTag, 'content-length': file.bytes, 'last-modified': file.modified.toUTCString() })
        .send(file.read())
    } catch (error) {
      const answer = isDiskFull(error) ? diskFull : error
      if (!(answer instanceof S3Error)) throw error
      return reply.code(answer.status).type('application/xml').send(answer.toXml())
    }
  })

  app.addHook('preHandler', async ({ method, url: path, body }) => {
    const url = new URL(path, 'http://localhost')
    if (!url.pathname.startsWith(root)) return
    if (method === 'DELETE') await folder.delete(keyOf(url))
    if (method === 'POST' && url.searchParams.has('delete'))
      for (const [, key = ''] of String(body).matchAll(/<Key>([^<]*)<\/Key>/g)) await folder.delete(unescaped(key))
  })

  async function takeForm({ raw }: { raw: IncomingMessage }) {
    return await readForm(raw, async (sent, content) => {
      const fields = { ...sent, bucket }
      const { min, max } = checkPolicy(fields, signer, new Date())
      const { key = '' } = sent
      const stored = await folder.store(key, content, max, (bytes) => bytes >= min && bytes <= max)
      if (stored.bytes > max)
        throw new S3Error(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
      if (stored.bytes < min)
        throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
      return stored
    })
  }
}

function listXml(keys: string[], { searchParams }: URL): string {
  const max = Number(searchParams.get('max-keys') ?? 1000)
  const contents = keys.slice(0, max).map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult>${contents.join('')}</ListBucketResult>`
}

const diskFull = new S3Error(503, 'ServiceUnavailable', 'The disk of DATA_DIR has no space for the file.')
const isDiskFull = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOSPC'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)
}

/** Undefined if the CORS rule does not name the origin, or a preflight's method or headers. */
function corsHeaders({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, origins: ReadonlySet<string>) {
  const { origin = '', 'access-control-request-method': wanted = '', 'access-control-request-headers': named } = headers
  const isAllowed = method !== 'OPTIONS' || (filesCors.allowMethods.some((each) => each === wanted) && !named)
  if (!origins.has(origin) || !isAllowed) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': filesCors.allowMethods.join(', '),
    'access-control-max-age': `${filesCors.maxAgeSeconds}`,
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}

/** Reads a form like S3, without fields after the file. @throws S3Error, or the error of `onFile` after the form is read */
async function readForm<Result>(
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
