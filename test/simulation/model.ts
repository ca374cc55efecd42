import type { SourceType, Status } from '../../shared/database/tables.ts'

export interface ModelChunk {
  chunk_index: number
  content: string
  isEmbedded: boolean
}

/** A document as spec and history together say it must be. */
export interface ModelDocument {
  id: string
  title: string
  /** Titles since its revision was requested. Its vectors have the title at the worker's start. */
  titles: string[]
  content: string | null
  /** The file of the document, unless a content was set since. */
  file: ModelFile | null
  /** The text extracted from the file for this revision. */
  text: string | null
  sourceType: SourceType
  status: Status
  managedBy: 'service' | 'client'
  revision: number
  activeRevision: number | null
  /** Contents that search has served, each with its last revision; null for the client's chunks. */
  history: { revision: number; content: string | null }[]
  /** The served chunks, including those without embeddings. */
  served: ModelChunk[]
  /** The client's chunks of this revision. */
  uploaded: ModelChunk[]
  pendingSince: number
  /** Claims of this revision seen so far. */
  leases: Set<string>
  /** The number of changes by clients. */
  edits: number
  /** The ETag of the last response, and the edits at that time. */
  tag?: { etag: string; edits: number }
}

interface ModelFile {
  key: string
  content: string
  isPosted: boolean
}

type Change = (document: ModelDocument) => void
/** The required answer, and the document's state if the statement takes effect. */
export interface Decision {
  verdict: { status: number; code?: string }
  change?: Change
}

const refuse = (status: number, code: string): Decision => ({ verdict: { status, code } })

export function newDocument(title: string, content: string | null, now: number): ModelDocument {
  return {
    id: '',
    title,
    titles: [title],
    content,
    file: null,
    text: null,
    sourceType: 'manual',
    status: 'pending',
    managedBy: content === null ? 'client' : 'service',
    revision: 1,
    activeRevision: null,
    history: [],
    served: [],
    uploaded: [],
    pendingSince: now,
    leases: new Set(),
    edits: 0,
  }
}

/** Its key is known once it has an id. */
export function newFileDocument(title: string, content: string, now: number): ModelDocument {
  const file = { key: '', content, isPosted: false }
  return { ...newDocument(title, null, now), managedBy: 'service', sourceType: 'txt', file }
}

/** The text of the document's chunks; null while it awaits one. */
export const textOf = ({ content, text }: ModelDocument) => content ?? text

/** The table of spec §3, written anew. */
export function decidePatch(
  document: ModelDocument,
  input: { title?: string; content?: string; status?: 'pending' | 'completed' },
  now: number,
): Decision {
  const isEmptied =
    document.managedBy === 'client' && document.activeRevision === null && document.uploaded.length === 0
  const isChanged =
    input.content !== undefined && (document.file !== null || input.content !== document.content || isEmptied)
  if (input.content !== undefined && input.status === 'completed') return refuse(409, 'invalid_transition')
  const retitle: Change = (d) => {
    if (input.title !== undefined && input.title !== d.title) d.edits++
    d.title = input.title ?? d.title
    d.titles.push(d.title)
  }
  if (isChanged || input.status === 'pending') {
    if (!isChanged && document.content === null && document.file === null) return refuse(409, 'invalid_transition')
    if (!isChanged && document.status === 'processing') return refuse(409, 'processing_in_progress')
    return {
      verdict: { status: 200 },
      change(d) {
        retitle(d)
        d.content = input.content ?? d.content
        if (input.content !== undefined) Object.assign(d, { file: null, sourceType: 'manual' })
        d.text = null
        renew(d, 'service', now)
      },
    }
  }
  if (input.status === 'completed' && document.status !== 'completed') {
    if (document.managedBy === 'service')
      return refuse(409, document.status === 'error' ? 'no_chunks' : 'processing_in_progress')
    if (document.uploaded.length === 0) return refuse(409, 'no_chunks')
    if (!document.uploaded.some((chunk) => chunk.isEmbedded)) return refuse(409, 'chunks_missing_embeddings')
    return {
      verdict: { status: 200 },
      change(d) {
        retitle(d)
        d.edits++
        d.status = 'completed'
        activate(d, null)
        d.served = d.uploaded
      },
    }
  }
  return { verdict: { status: 200 }, change: retitle }
}

/** Restores other content, or the same content if search would not serve it without a new revision. */
export function decideRestore(document: ModelDocument, content: string | null, now: number): Decision {
  if (content === null) return refuse(409, 'invalid_transition')
  const { managedBy, status } = document
  if (managedBy === 'service' && status !== 'error' && textOf(document) === content) return { verdict: { status: 200 } }
  return {
    verdict: { status: 200 },
    change(d) {
      Object.assign(d, { content, file: null, sourceType: 'manual', text: null })
      renew(d, 'service', now)
    },
  }
}

/** Search serves the revision from now on. */
export function activate(document: ModelDocument, content: string | null) {
  const before = document.activeRevision === null ? undefined : document.history.at(-1)
  if (before && content !== null && before.content === content) before.revision = document.revision
  else document.history.push({ revision: document.revision, content })
  document.activeRevision = document.revision
}

export function decideUpload(document: ModelDocument, chunks: ModelChunk[], now: number): Decision {
  const isTakeover = document.managedBy === 'service'
  const stored = new Set(isTakeover ? [] : document.uploaded.map((chunk) => chunk.chunk_index))
  if (chunks.some((chunk) => stored.has(chunk.chunk_index))) return refuse(409, 'chunk_index_conflict')
  return {
    verdict: { status: 201 },
    change(d) {
      if (isTakeover) renew(d, 'client', now)
      d.edits++
      d.uploaded = [...d.uploaded, ...chunks]
      if (d.activeRevision === d.revision) d.served = d.uploaded
    },
  }
}

export function decideDeleteChunks(now: number): Decision {
  return {
    verdict: { status: 204 },
    change(d) {
      renew(d, 'client', now)
      d.activeRevision = null
      d.served = []
    },
  }
}

function renew(document: ModelDocument, managedBy: ModelDocument['managedBy'], now: number) {
  Object.assign(document, { managedBy, status: 'pending', uploaded: [] })
  document.revision++
  document.edits++
  document.titles = [document.title]
  document.pendingSince = now
  document.leases = new Set()
}

/** The `chunk_count` that the API must show. */
export function chunkCount(document: ModelDocument): number {
  return (document.managedBy === 'client' ? document.uploaded : document.served).length
}

/** The `searchable_chunk_count` that the API must show. */
export function searchableChunkCount(document: ModelDocument): number {
  return document.served.filter((chunk) => chunk.isEmbedded).length
}
