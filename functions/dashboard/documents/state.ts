import type { Failure } from '../../../shared/documents/contract/failures.ts'
import { fileNameOfKey, keyOfUrl } from '../../../shared/files/file-url.ts'
import { number, sentence } from '../sentences.ts'
import type { Overview } from './overview.ts'

export interface State {
  kind: 'ready' | 'working' | 'waiting' | 'idle' | 'failed'
  label: string
  /** The reason, and what to do about it. */
  detail?: string | undefined
  progress?: { done: number; of: number; label: string } | undefined
}

export function stateOf(document: Overview): State {
  const state = ownState(document)
  const isReplacing = document.status !== 'completed' && document.searchable_chunk_count > 0 && !document.validity
  const served = isReplacing ? 'Callers still get answers from the previous version.' : undefined
  return { ...state, detail: [state.detail, served].filter(Boolean).join(' ') || undefined }
}

function ownState(document: Overview): State {
  if (document.status === 'completed') {
    if (document.validity === 'expired')
      return {
        kind: 'idle',
        label: 'Expired',
        detail: 'Callers no longer get answers from it. To restore it, edit it and clear the date.',
      }
    return document.validity ? { kind: 'waiting', label: 'Scheduled' } : { kind: 'ready', label: 'Ready' }
  }
  if (isStopped(document))
    return { kind: 'waiting', label: 'Needs you', detail: 'A check expects something else than the new text says.' }
  if (document.status === 'error') return { kind: 'failed', label: 'Failed', detail: failureText(document) }
  if (document.managed_by === 'client')
    return {
      kind: 'idle',
      label: 'Waiting for its text',
      detail: 'Your own system sends its parts through the API.',
    }
  return { ...workOf(document), progress: progressOf(document) }
}

function workOf(document: Overview): State {
  const { source_url } = document
  const fileName = source_url === null ? document.title : fileNameOfKey(keyOfUrl(source_url))
  if (document.changes)
    return {
      kind: 'waiting',
      label: 'New version?',
      detail: `The file ${fileName} looks like a new version of “${document.changes.otherTitle}”. Callers get nothing from it until you choose.`,
    }
  if (document.is_held)
    return {
      kind: 'waiting',
      label: 'Serve it?',
      detail: 'The document that it seemed to replace was deleted. Callers get nothing from this one until you choose.',
    }
  if (document.is_file_missing)
    return {
      kind: 'waiting',
      label: 'File missing',
      detail: 'The file hasn’t arrived yet. If its upload was interrupted, try again.',
    }
  if (document.awaits_file) return { kind: 'working', label: 'Waiting for the file' }
  const { waiting_reason, next_attempt_at, tries } = document
  const isPending = document.status === 'pending'
  if (isPending && waiting_reason && next_attempt_at)
    return {
      kind: 'waiting',
      label: 'Waiting',
      detail: `${sentence(waiting_reason)} ${tries === 1 ? 'It was tried once' : `It was tried ${tries} times`} and will be retried automatically.`,
    }
  const processing = document.awaits_text ? 'Reading the file' : 'Processing'
  return { kind: 'working', label: isPending ? 'Queued' : processing }
}

function progressOf(document: Overview): State['progress'] {
  const { status, pages_read, pages, stored_chunk_count, planned_chunk_count } = document
  if (status === 'processing' && pages_read !== null && pages !== null)
    return {
      done: pages_read,
      of: pages,
      label: `Reading page ${number(Math.min(pages_read + 1, pages))} of ${number(pages)}`,
    }
  if (!planned_chunk_count) return undefined
  const stored = Math.min(stored_chunk_count ?? 0, planned_chunk_count)
  return {
    done: stored,
    of: planned_chunk_count,
    label: `${number(stored)} of ${number(planned_chunk_count)} parts`,
  }
}

/** True if processing the same file or text again may succeed. */
export function mayBeRetried(document: Overview): boolean {
  return document.status === 'error' && needsFile(document) === undefined
}

/** True if a new file first becomes a document of its own, which a person then lets replace this one. */
export function mayReplaceFile(document: Overview): boolean {
  const { source_url, managed_by, awaits_text, is_held } = document
  return (
    source_url !== null && managed_by === 'service' && !awaits_text && !is_held && needsFile(document) === undefined
  )
}

type FileState = Pick<Overview, 'status' | 'error_code' | 'is_file_missing'>

export const uploadAgain = { missing: 'Try again', faulty: 'Replace the file' }
const faultyFile = ['file_too_large', 'file_unreadable', 'file_overwritten']

/** The reason why it needs another upload; undefined if it doesn't. */
export function needsFile({ status, error_code, is_file_missing }: FileState): 'missing' | 'faulty' | undefined {
  if (is_file_missing) return 'missing'
  if (status !== 'error' || error_code === null) return undefined
  if (error_code === 'file_not_uploaded') return 'missing'
  return faultyFile.includes(error_code) ? 'faulty' : undefined
}

/** True while processing may change it. */
export function isInWork(document: Overview): boolean {
  const isUnfinished = document.status === 'pending' || document.status === 'processing'
  return document.managed_by === 'service' && isUnfinished && !document.is_held
}

/** True if a check has stopped its new text. */
export function isStopped({ status, error_code }: Pick<Overview, 'status' | 'error_code'>): boolean {
  return status === 'error' && error_code === 'golden_questions_fail'
}

/** What failed and what a person can do. The messages of other codes are written for people. */
const failures: Partial<Record<Failure['code'], string>> = {
  attempts_exhausted:
    'It failed five times. Choose “Try again” to process it again; if it fails again, split the document, or save its file in another format, such as PDF.',
  provider_unavailable:
    'It couldn’t be processed for 24 hours, because search by meaning wasn’t available. Choose “Try again” to process it again.',
  not_processed: 'It wasn’t processed within 24 hours. Choose “Try again” to process it again.',
  file_not_uploaded: 'The file wasn’t uploaded completely. Upload it again.',
  file_overwritten: 'The file was overwritten after its text had been read. Upload it again.',
}

function failureText({ error_code, error_message }: Overview): string {
  return failures[error_code as Failure['code']] ?? error_message ?? ''
}
