import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { sql } from 'kysely'
import { consumer } from '../../../functions/extraction/consumer.ts'
import type { Extraction } from '../../../functions/extraction/extract-document.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { createFileDocument } from '../../../shared/documents/client/file-document.ts'
import { fileTypeOf } from '../../../shared/files/file-types.ts'
import type { AgentId, DocumentId, OrganizationId } from '../../../shared/ids.ts'
import { Unreadable } from '../../../shared/text/unreadable.ts'
import { sqsQueue } from '../../../shared/work/sqs-queue.ts'
import { memoryBucket } from '../stand/memory-bucket.ts'
import type { Tenant, TestStand } from '../stand/stand.ts'
import { databaseAs, keptQueue, workMessage } from '../stand/worker.ts'

/** The document of a file, as the dashboard makes it: the file itself is yet to be posted. */
export interface TestFile {
  id: string
  scope: DocumentScope
  organizationId: string
  path: string
  key: string
}

export async function createFile(
  stand: TestStand,
  tenant: Tenant,
  options: { fileName?: string; title?: string | undefined; fileBytes?: number } = {},
): Promise<TestFile> {
  const scope = { organizationId: tenant.organizationId as OrganizationId, agentId: tenant.agentId as AgentId }
  const input = { title: 'Prices', fileName: 'prices.txt', fileBytes: 100, bucket: 'files', ...options }
  const { document, key } = await createFileDocument(stand.db, scope, input, { requestId: 'request-of-upload' })
  const { organizationId, knowledgeBase } = tenant
  const documentId = document.id as DocumentId
  const path = `${knowledgeBase}/${documentId}`
  return { id: documentId, scope: { ...scope, documentId }, organizationId, path, key }
}

/** A file of a tenant of its own, and an extractor. */
export async function newFile(stand: TestStand, options?: Parameters<typeof createFile>[2]) {
  const tenant = await stand.tenant()
  return { tenant, file: await createFile(stand, tenant, options), extractor: newExtractor(stand) }
}

/** Replaces extraction in tests of something else: the file is its own text, if it has any. */
const plainText: Extraction['extractText'] = (file, fileName) => {
  const text = file.toString('utf8')
  if (!/[\p{L}\p{N}]/u.test(text)) return Promise.reject(new Unreadable('no_text'))
  return Promise.resolve({ text, sourceType: fileTypeOf(fileName)! })
}

/** An extraction Lambda of a test's own, on the stand's database and embedding queue, and a bucket in memory. */
export function newExtractor(stand: TestStand, options: Partial<Extraction> = {}) {
  const { files, ...bucket } = memoryBucket()
  const own = keptQueue()
  const handler = consumer({
    db: databaseAs('cuecard_extraction'),
    bucket,
    queue: own.queue,
    embeddingQueue: sqsQueue(stand.queue.queueUrl),
    extractText: plainText,
    random: () => 0.5,
    ...options,
  })

  return {
    bucket,
    files,
    /** The messages sent to its own queue. */
    sent: own.sent,
    /** Delivers one batch with these message bodies. */
    deliver: async (...bodies: string[]): Promise<SQSBatchResponse> => {
      const Records = bodies.map((body, i) => ({ messageId: `${i}`, receiptHandle: `${i}`, body }))
      return await handler({ Records } as unknown as SQSEvent)
    },
    /** The file arrives, and the uploader reports it. */
    async upload(file: TestFile, content: string | Buffer): Promise<SQSBatchResponse> {
      files.set(file.key, Buffer.from(content))
      return await this.deliver(workMessage(file))
    },
  }
}

/** What tests of extraction do with the document of a file: read its row, get it, set columns of it, and create one. */
export function filesOn(stand: TestStand) {
  return {
    created: () => newFile(stand),
    get: async (tenant: Tenant, { path }: TestFile) => (await tenant.call('GET', path)).body,
    set: ({ id }: TestFile, assignment: string) =>
      sql`update documents set ${sql.raw(assignment)} where id = ${id}`.execute(stand.db),
    async rowOf({ id }: TestFile) {
      const { rows } = await sql<{
        status: string
        extracted_text: string | null
        waits: number | null
        resends: number
      }>`
        select status, error_code, attempt, retry_count, tries, lease_token, content_hash, extracted_text,
        extract(epoch from next_attempt_at - now())::float8 as waits, extract(epoch from resend_at - now())::float8 as resends
        from documents where id = ${id}`.execute(stand.db)
      return rows[0]!
    },
  }
}
