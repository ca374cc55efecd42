import type { AgentScope } from '../../database/scope.ts'
import type { IdempotentRequest } from '../../http/idempotency.ts'
import { type DocumentId, newId } from '../../ids.ts'
import type { Origin } from '../../work/message.ts'
import { enqueueAll, type Outbox } from '../../work/outbox.ts'
import type { DocumentRow } from '../contract/document.ts'
import type { CreateInput } from '../contract/input.ts'
import { create } from '../processing/transitions.ts'
import { hashContent } from './documents.ts'
import { insertDocuments } from './insert-document.ts'

/**
 * Creates all documents or none. With content a document is queued; without, it waits for the client's chunks.
 * `replayed`: an earlier attempt has created them.
 * @throws ApiError agent_not_found, document_not_found, validation_failed, idempotency_key_reused, idempotency_in_progress
 */
export async function createDocuments(
  outbox: Outbox,
  scope: AgentScope,
  inputs: CreateInput[],
  origin: Origin,
  request?: IdempotentRequest,
): Promise<{ documents: DocumentRow[]; replayed: boolean }> {
  // Ids sort in the order of their creation.
  const made = inputs.map(({ content, ...input }) => ({
    ...input,
    id: newId(),
    ...(content !== undefined && { content, content_hash: `\\x${hashContent(content).toString('hex')}` }),
    ...create(content !== undefined, origin),
  }))
  const { rows, replayed } = await insertDocuments(outbox.db, scope, { documents: made }, request)
  const documents = rows.map((row, i) => ({ title: inputs[i]!.title, content: inputs[i]!.content ?? null, ...row }))
  if (!replayed) {
    const queued = documents.filter(({ content }) => content !== null)
    const { organizationId } = scope
    await enqueueAll(
      outbox,
      queued.map(({ id }) => ({ organizationId, kind: 'document', id: id as DocumentId, ...origin })),
    )
  }
  return { documents, replayed }
}

export async function createDocument(
  outbox: Outbox,
  scope: AgentScope,
  input: CreateInput,
  origin: Origin,
  request?: IdempotentRequest,
): Promise<{ document: DocumentRow; replayed: boolean }> {
  const { documents, replayed } = await createDocuments(outbox, scope, [input], origin, request)
  return { document: documents[0]!, replayed }
}
