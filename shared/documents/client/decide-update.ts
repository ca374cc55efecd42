import type { Status } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'

export interface DocumentState {
  status: Status
  managed_by: 'service' | 'client'
  content_hash: Buffer | null
  is_file: boolean
  chunk_count: number
  has_embedding: boolean
}

interface Patch {
  content_hash?: Buffer | undefined
  status?: 'pending' | 'completed' | undefined
  /** True if the content comes from a kept revision; chunks of a client's own have none. */
  isRestored?: boolean | undefined
}

/** @throws ApiError invalid_transition, processing_in_progress, no_chunks, chunks_missing_embeddings */
export function decideUpdate(document: DocumentState, patch: Patch): 'restart' | 'complete' | 'none' {
  // Setting the extracted text as content is a change: it turns the file's document into a text document.
  const mayBeSame = patch.isRestored
    ? document.managed_by === 'service' && document.status !== 'error'
    : !document.is_file
  const isSame = mayBeSame && patch.content_hash && document.content_hash?.equals(patch.content_hash)
  const isOther = patch.content_hash !== undefined && !isSame

  if (patch.content_hash && patch.status === 'completed') conflict('invalid_transition')
  if (patch.isRestored && !patch.content_hash) conflict('invalid_transition')
  if (isOther) return 'restart'
  if (patch.status === undefined) return 'none'

  if (patch.status === 'pending') {
    if (document.content_hash === null && !document.is_file) conflict('invalid_transition')
    if (document.status === 'processing') conflict('processing_in_progress')
    return 'restart'
  }

  if (document.status === 'completed') return 'none'
  if (document.managed_by === 'service') conflict(document.status === 'error' ? 'no_chunks' : 'processing_in_progress')
  if (document.chunk_count === 0) conflict('no_chunks')
  if (!document.has_embedding) conflict('chunks_missing_embeddings')
  return 'complete'
}

const conflicts = {
  invalid_transition:
    'The service processes content, so you cannot complete it yourself; without content there is nothing to process.',
  processing_in_progress: 'The service is processing this document. Wait until it is completed or in error.',
  no_chunks: 'No chunks of your own are stored for this document. Upload some first.',
  chunks_missing_embeddings:
    'None of the stored chunks has an embedding, so search could find none of them. Delete the chunks and upload them with `embedding`.',
} as const

function conflict(code: keyof typeof conflicts): never {
  throw new ApiError(code, conflicts[code])
}
