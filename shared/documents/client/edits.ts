import type { Correction, PageStart, Status } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import type { Effect } from '../../knowledge/search-after.ts'
import type { Origin } from '../../work/message.ts'
import type { UpdateInput } from '../contract/input.ts'
import {
  awaitText,
  becomeText,
  complete,
  correct,
  leaveSource,
  restart,
  type Transition,
} from '../processing/transitions.ts'
import { corrected } from '../text/corrections.ts'
import { movedStarts } from '../text/page-starts.ts'
import { hashContent } from './documents.ts'

/** A document as an edit finds it. */
export interface StoredDocument {
  title: string
  status: Status
  managed_by: 'service' | 'client'
  content_hash: Buffer | null
  /** True if its text is a file's. */
  is_file: boolean
  chunk_count: number
  /** True if all its chunks were deleted, and nobody makes others. */
  is_emptied: boolean
  has_embedding: boolean
  active_revision: number | null
  valid_from: Date | null
  valid_until: Date | null
  corrections: Correction[]
  page_starts: PageStart[] | null
  /** A file's text as it was extracted; null unless it was asked for. */
  extracted_text: string | null
}

/** What a request does to a document. */
export interface Edit {
  set: Transition
  /** What search serves otherwise at once; a new revision is served later. */
  effect?: Omit<Effect, 'document_id'>
  /** `restarted`: the service processes it. `completed`: search serves the client's chunks. */
  becomes?: 'restarted' | 'completed'
}

/** Decides on a request's edit of a document. @throws ApiError if the document is in no state for it */
export type Decide = (document: StoredDocument, origin: Origin) => Edit

/**
 * Changes the fields; other content, the same content after its chunks were deleted, or the status `pending` starts a revision. The status
 * `completed` serves the client's chunks.
 */
export function edit(input: UpdateInput): Decide {
  return (document, origin) => {
    const fields = fieldsOf(document, input)
    const { content, status } = input
    if (content !== undefined && status === 'completed') conflict('invalid_transition')
    if (content !== undefined && !hasText(document, content)) return withText(document, content, origin, fields)
    const isAgain = content !== undefined && document.is_emptied
    if (isAgain || status === 'pending') return joined(fields, retried(document, origin))
    if (status === 'completed' && document.status !== 'completed') return joined(fields, completed(document))
    return fields
  }
}

/** Processes the content again, or reads the file again. */
export const retry: Decide = retried

/** Gives a website's document the page's title and text; it stays the website's. */
export function takePage({ title, content }: { title: string; content: string }): Decide {
  return (document, origin) => {
    const fields = fieldsOf(document, { title })
    return hasText(document, content) ? fields : joined(fields, newText(document, content, origin))
  }
}

/** Starts a revision with the content of a former one, null for chunks of the client's own, which are not kept. */
export function restore(content: string | null): Decide {
  return (document, origin) => {
    if (content === null) return conflict('invalid_transition')
    const isServed = document.managed_by === 'service' && document.status !== 'error'
    if (isServed && document.content_hash?.equals(hashContent(content))) return { set: {} }
    return withText(document, content, origin)
  }
}

/** Returns the corrections of a file's text after an edit of it. */
type CorrectionsAfter = (text: string, corrections: readonly Correction[], edited: string) => Correction[]

/** Edits a file's text, and remains a file. A document without a file's text is edited as by `edit`. */
export function correctText({ content, ...input }: UpdateInput & { content: string }, after: CorrectionsAfter): Decide {
  return (document, origin) => {
    const { extracted_text: text, corrections, page_starts } = document
    if (!document.is_file || text === null) return edit({ ...input, content })(document, origin)
    const fields = fieldsOf(document, input)
    const hash = hashContent(content)
    if (document.content_hash?.equals(hash)) return fields
    const set = {
      ...restart(origin),
      ...correct(content, hash, page_starts && movedStarts(page_starts, text, content)),
      corrections: JSON.stringify(after(corrected(text, corrections), corrections, content)),
    }
    return joined(fields, { set, becomes: 'restarted' })
  }
}

type Fields = Pick<UpdateInput, 'title' | 'external_id' | 'metadata' | 'valid_from' | 'valid_until'>

function fieldsOf(document: StoredDocument, { title, external_id, metadata, valid_from, valid_until }: Fields): Edit {
  const set: Transition = {
    ...(title !== undefined && { title, title_from_file: false }),
    ...(valid_from !== undefined && { valid_from }),
    ...(valid_until !== undefined && { valid_until }),
    ...(external_id !== undefined && { external_id, ...leaveSource }),
    ...(metadata && { metadata: JSON.stringify(metadata) }),
  }
  const hasTitle = title !== undefined && title !== document.title
  const hasDates = isOther(valid_from, document.valid_from) || isOther(valid_until, document.valid_until)
  if (!hasTitle && !hasDates) return { set }
  const dates = {
    valid_from: valid_from === undefined ? document.valid_from : valid_from,
    valid_until: valid_until === undefined ? document.valid_until : valid_until,
  }
  return { set, effect: { ...(hasTitle && { title }), ...(hasDates && { dates }) } }
}

function isOther(given: string | null | undefined, stored: Date | null): boolean {
  return given !== undefined && (given === null ? null : Date.parse(given)) !== (stored?.getTime() ?? null)
}

/** Setting a file's text as its content is a change, too: it makes a text document of it. */
function hasText({ is_file, content_hash }: StoredDocument, content: string): boolean {
  return !is_file && content_hash !== null && content_hash.equals(hashContent(content))
}

/** The document gets other content of the client's, and is the client's own. */
function withText(document: StoredDocument, content: string, origin: Origin, fields: Edit = { set: {} }): Edit {
  return joined(fields, { set: leaveSource }, newText(document, content, origin))
}

function newText({ is_file }: StoredDocument, content: string, origin: Origin): Edit {
  const set = { ...restart(origin), content, content_hash: hashContent(content), ...(is_file && becomeText) }
  return { set, becomes: 'restarted' }
}

function retried({ content_hash, is_file, status }: StoredDocument, origin: Origin): Edit {
  if (content_hash === null && !is_file) conflict('invalid_transition')
  if (status === 'processing') conflict('processing_in_progress')
  return { set: { ...restart(origin), ...(is_file && awaitText) }, becomes: 'restarted' }
}

function completed({ managed_by, status, chunk_count, has_embedding }: StoredDocument): Edit {
  if (managed_by === 'service') conflict(status === 'error' ? 'no_chunks' : 'processing_in_progress')
  if (chunk_count === 0) conflict('no_chunks')
  if (!has_embedding) conflict('chunks_missing_embeddings')
  return { set: complete, effect: { action: 'serves' }, becomes: 'completed' }
}

function joined(...edits: Edit[]): Edit {
  const effects = edits.flatMap(({ effect }) => effect ?? [])
  const [becomes] = edits.flatMap((each) => each.becomes ?? [])
  return {
    set: Object.assign({}, ...edits.map(({ set }) => set)),
    ...(effects.length > 0 && { effect: Object.assign({}, ...effects) }),
    ...(becomes && { becomes }),
  }
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
