import { createFileDocument, reportFile } from '../../shared/documents/client/file-document.ts'
import { toDocument } from '../../shared/documents/contract/document.ts'
import { fileBody } from '../../shared/documents/contract/input.ts'
import type { Presigner } from '../../shared/files/presigner.ts'
import { idempotencyHeader, idempotentRequest } from '../../shared/http/idempotency.ts'
import type { Router } from '../../shared/http/router.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { creationErrors, newExample, setCreated } from './respond.ts'
import { announcedFile } from './schemas.ts'

const collection = '/v1/agents/:agentId/knowledge-base'

export function addFileRoutes(routes: Router, queue: Sender, presigner: Presigner, repeatWaitSeconds?: number) {
  routes
    .post(
      `${collection}/files`,
      {
        operationId: 'createFile',
        summary: 'Create a document from a file',
        description:
          'Creates the document and returns a form: within an hour, post it with the file to `url` as `multipart/form-data`, all `fields` first and the file last, as `file`. Then [report it](#reportFile). The text is extracted, chunked and embedded in the background. A file may have 50 MB, and 4 MiB of text. [Files](#files) shows all of it as a script.',
        permission: 'kb:write',
        headers: idempotencyHeader,
        body: fileBody,
        examples: { file: { name: 'price list.pdf', bytes: 48210 } },
        responses: {
          201: {
            description: 'The document, and the form that uploads the file',
            schema: announcedFile,
            example: {
              document: {
                ...newExample,
                title: 'price list',
                content: null,
                source_type: 'pdf',
                source_url:
                  's3://cuecard-prod-files-111122223333-eu-central-1/01981f3c/01981f3e/01981f3e/price%20list.pdf',
              },
              upload: {
                url: 'https://cuecard-prod-files-111122223333-eu-central-1.s3.eu-central-1.amazonaws.com/',
                fields: { key: '01981f3c/01981f3e/01981f3e/price list.pdf', policy: 'eyJleHBpcmF0aW9uIjoi…' },
              },
            },
            headers: ['ETag', 'Location', 'Idempotency-Replayed'],
          },
        },
        errors: creationErrors,
      },
      async ({ c, key, db, scope, origin, headers, body }) => {
        const request = idempotentRequest(key, c.req, headers['idempotency-key'], () => body, repeatWaitSeconds)
        const { name, bytes, ...given } = body
        const file = { fileName: name, fileBytes: bytes, bucket: presigner.bucket, ...given }
        const { document, key: path, replayed } = await createFileDocument(db, scope, file, origin, { request })
        setCreated(c, document, replayed)
        const upload = presigner.presignPost(path, bytes, new Date(document.created_at))
        return c.json({ document: toDocument(document), upload }, 201)
      },
    )
    .post(
      `${collection}/:documentId/uploaded`,
      {
        operationId: 'reportFile',
        summary: 'Report that a file is uploaded',
        description:
          'Starts the extraction of its text at once; the service notices an unreported file within minutes. A repeat is safe: a document that awaits no file stays as it is.',
        permission: 'kb:write',
        responses: { 202: { description: 'The text is extracted in the background' } },
      },
      async ({ c, db, scope, origin }) => {
        await reportFile({ db, queue }, scope, origin)
        return c.body(null, 202)
      },
    )
}
