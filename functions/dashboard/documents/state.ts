import { words } from '../words.ts'
import type { Overview } from './overview.ts'

/** A document's state as a person sees it. */
export interface State {
  kind: 'ready' | 'working' | 'waiting' | 'idle' | 'failed'
  label: string
  /** Why, and what to do. */
  detail?: string | undefined
  progress?: { stored: number; planned: number } | undefined
}

export function stateOf(document: Overview): State {
  const state = ownState(document)
  const isReplacing = state.kind !== 'ready' && document.searchable_chunk_count > 0
  const served = isReplacing ? words.documents.previousIsServed : undefined
  return { ...state, detail: [state.detail, served].filter(Boolean).join(' ') || undefined }
}

function ownState(document: Overview): State {
  const w = words.documents.states
  if (document.status === 'completed') return { kind: 'ready', label: w.ready }
  if (document.status === 'error')
    return { kind: 'failed', label: w.failed, detail: words.documents.failure(document.error_message ?? '') }
  if (document.managed_by === 'client') return { kind: 'idle', label: w.awaitsPassages, detail: w.awaitsPassagesDetail }
  return { ...workOf(document), progress: progressOf(document) }
}

/** Of a document that the service prepares. */
function workOf({ status, waiting_reason, next_attempt_at, tries, awaits_text }: Overview): State {
  const w = words.documents.states
  const isPending = status === 'pending'
  if (isPending && waiting_reason && next_attempt_at)
    return { kind: 'waiting', label: w.waiting, detail: words.documents.waiting(waiting_reason, tries) }
  if (awaits_text) return { kind: 'working', label: isPending ? w.awaitsFile : w.readingFile }
  return { kind: 'working', label: isPending ? w.queued : w.processing }
}

function progressOf({ stored_chunk_count, planned_chunk_count }: Overview): State['progress'] {
  if (!planned_chunk_count) return undefined
  return { stored: Math.min(stored_chunk_count ?? 0, planned_chunk_count), planned: planned_chunk_count }
}

/** Whether it may end better another time. */
export function mayBeRetried({ status, error_code }: Overview): boolean {
  return status === 'error' && error_code !== 'file_not_uploaded' && error_code !== 'file_too_large'
}

/** Whether it changes without anybody's doing. */
export function isInWork(document: Overview): boolean {
  return document.managed_by === 'service' && (document.status === 'pending' || document.status === 'processing')
}
