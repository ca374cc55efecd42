import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import {
  agentNotFound,
  type DocumentScope,
  documentNotFound,
  findAgent,
  isDocument,
} from '../../shared/database/scope.ts'
import { lostAfterSeconds } from '../../shared/documents/outbox.ts'
import { ApiError, type ErrorCode } from '../../shared/http/errors.ts'
import type { Versions } from '../../shared/http/etag.ts'
import type { Origin } from '../../shared/queue.ts'
import { type DocumentRow, documentColumns } from './document.ts'
import { hashContent, matches, preconditionFailed } from './documents.ts'
import type { UpdateInput } from './schemas.ts'

/**
 * Changes a document. Other content, or status pending, starts a new revision (`restarted`: the caller sends it to the
 * queue); status completed puts the client's chunks into service. What search serves changes only in the latter.
 * @throws ApiError agent_not_found, document_not_found, precondition_failed, and the 409s of `refusals`
 */
export async function updateDocument(
  db: Database,
  scope: DocumentScope,
  input: UpdateInput,
  origin: Origin,
  match: Versions = '*',
) {
  const content = input.content ?? null
  const status = input.status ?? null

  const [agents, , [decided]] = await db.batch(
    findAgent(scope),
    sql`select from documents d where ${isDocument(scope)} for update`,
    sql<{ refusal: string | null; restarts: boolean } & DocumentRow>`
      with target as (
        select d.*, coalesce(content_hash <> ${content === null ? null : hashContent(content)}::bytea, ${content !== null}) as is_changed
        from documents d
        where ${isDocument(scope)}
      ),
      decision as (
        select *,
          is_changed or ${status === 'pending'} as restarts,
          ${status === 'completed'} and status <> 'completed' as completes,
          case
            when not (${matches(match)}) then 'precondition_failed'
            when ${content !== null && status === 'completed'} then 'invalid_transition'
            when is_changed or ${status}::text is null then null
            when ${status === 'pending'} and content is null then 'invalid_transition'
            when ${status === 'pending'} and status = 'processing' then 'processing_in_progress'
            when ${status === 'pending'} or status = 'completed' then null
            when managed_by = 'service' and status = 'error' then 'no_chunks'
            when managed_by = 'service' then 'processing_in_progress'
            when chunk_count = 0 then 'no_chunks'
            when not exists (
              select from chunks c
              where c.organization_id = target.organization_id and c.document_id = target.id and c.revision = target.revision
                and c.embedding is not null) then 'chunks_missing_embeddings'
          end as refusal
        from target
      ),
      changed as (
        update documents d set
          title = coalesce(${input.title ?? null}, d.title),
          content = case when is_changed then ${content} else d.content end,
          content_hash = case when is_changed then ${content === null ? null : hashContent(content)}::bytea else d.content_hash end,
          status = case when restarts then 'pending' when completes then 'completed' else d.status end,
          managed_by = case when restarts then 'service' else d.managed_by end,
          revision = d.revision + restarts::int,
          active_revision = case when completes then d.revision else d.active_revision end,
          chunk_count = case when restarts and d.managed_by = 'client' and d.revision is distinct from d.active_revision
            then (select count(*) from chunks c where c.organization_id = d.organization_id and c.document_id = d.id and c.revision = d.active_revision)
            else d.chunk_count end,
          error_message = case when restarts then null else d.error_message end,
          error_code = case when restarts then null else d.error_code end,
          lease_token = case when restarts then null else d.lease_token end,
          lease_expires_at = case when restarts then null else d.lease_expires_at end,
          attempt = case when restarts then 0 else d.attempt end,
          retry_count = case when restarts then 0 else d.retry_count end,
          next_attempt_at = case when restarts then null else d.next_attempt_at end,
          resend_at = case when restarts then now() + make_interval(secs => ${lostAfterSeconds}) else d.resend_at end,
          request_id = case when restarts then ${origin.requestId ?? null} else d.request_id end,
          requested_by = case when restarts then ${origin.apiKeyId ?? null}::uuid else d.requested_by end,
          pending_since = case when restarts then now() else d.pending_since end
        from decision
        where d.organization_id = decision.organization_id and d.id = decision.id and refusal is null
        returning d.*
      ),
      superseded as (
        delete from chunks c using decision
        where refusal is null and c.organization_id = ${scope.organizationId} and c.document_id = ${scope.documentId}
          and (completes and c.revision <> decision.revision
            or restarts and managed_by = 'client' and c.revision is distinct from decision.active_revision)
      )
      select refusal, restarts, ${documentColumns}
      from decision left join changed d on true`,
  )
  if (agents.length === 0) agentNotFound()
  if (!decided) documentNotFound()
  if (decided.refusal) refuse(decided.refusal)
  return { document: decided as DocumentRow, restarted: decided.restarts }
}

const refusals: Partial<Record<ErrorCode, string>> = {
  invalid_transition:
    'Content is processed by the service, so it cannot be completed by hand; and without content there is nothing to process.',
  processing_in_progress: 'The service is at work on this document. Wait until it is completed or in error.',
  no_chunks: 'No chunks of your own are stored for this document. Upload some first.',
  chunks_missing_embeddings: 'None of the stored chunks has an embedding, so search could find none of them.',
}

function refuse(code: string): never {
  if (code === 'precondition_failed') preconditionFailed()
  throw new ApiError(code as ErrorCode, refusals[code as ErrorCode]!)
}
