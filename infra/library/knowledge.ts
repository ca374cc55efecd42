import type { SnapshotChunk, SnapshotDocument, SnapshotPart } from '../../functions/snapshot/schemas.ts'
import { dimensions, normalize } from '../../shared/embedding/vectors.ts'
import type { AgentId, DocumentId, OrganizationId } from '../../shared/ids.ts'
import {
  type AgentFacts,
  type AgentIndex,
  type Change,
  type Chosen,
  emptyIndex,
  type Place,
  servedDocuments,
  withChanges,
} from '../../shared/retrieval/index/agent-index.ts'
import { packChunks } from '../../shared/retrieval/index/segment.ts'
import type { Filters } from '../../shared/retrieval/plan.ts'
import { keepPassages, keptPassage } from '../../shared/retrieval/statement/kept-passages.ts'
import type { PassageRow } from '../../shared/retrieval/statement/read-agent.ts'
import { halfOf } from './halves.ts'

/** What an answer needs of a document besides the index. */
export interface LocalDocument {
  url: string | null
  metadata: Record<string, unknown>
  /** True if the service has cut the chunks: their metadata then has their start and end in the text. */
  isCut: boolean
  /** The index of each chunk, in order; the other arrays have the same order. */
  places: Uint32Array
  /** The chunks' texts and metadata in JSON: that of chunk i ends at ends[i]. */
  texts: Buffer
  ends: Uint32Array
  /** 16-bit floats, `dimensions` a chunk. */
  vectors: Uint16Array
  /** The norm of each vector; 0 until it is needed. */
  norms: Float64Array
}

/** All that search serves of an agent at one version. It never changes: an update makes another one. */
export interface Knowledge {
  index: AgentIndex
  documents: ReadonlyMap<DocumentId, LocalDocument>
}

const bytesOfVector = dimensions * Uint16Array.BYTES_PER_ELEMENT

type LocalText = Pick<PassageRow, 'chunk_id' | 'content' | 'token_count' | 'metadata' | 'page'>

export function emptyKnowledge(agentId: AgentId): Knowledge {
  return { index: emptyIndex({ organizationId: '' as OrganizationId, agentId }), documents: new Map() }
}

/** Reads the parts of a snapshot, or of what has changed since one, in their order. */
export class Update {
  #changes: Change[] = []
  #documents = new Map<DocumentId, LocalDocument | undefined>()
  #agent: AgentFacts | undefined
  #version = 0
  /** The chunks so far of a document that continues in the next part. */
  #unfinished: { document: SnapshotDocument; vectors: Uint8Array } | undefined

  /** @param read a part, and the vectors of its chunks */
  add({ part: { documents, agent, version }, vectors }: { part: SnapshotPart; vectors: Uint8Array }): void {
    this.#agent = agent
    this.#version = version
    let at = 0
    for (const document of documents) {
      const end = at + (document.chunks?.length ?? 0) * bytesOfVector
      this.#addDocument(document, vectors.subarray(at, end))
      at = end
    }
  }

  #addDocument(piece: SnapshotDocument, ownVectors: Uint8Array): void {
    const { document, vectors } = this.#withPiecesBefore(piece, ownVectors)
    this.#unfinished = piece.is_whole === false ? { document, vectors } : undefined
    if (this.#unfinished) return
    const { version, chunks = [] } = document
    const documentId = document.document_id as DocumentId
    if (document.revision === null) {
      this.#changes.push({ documentId })
      this.#documents.set(documentId, undefined)
      return
    }
    const pack = {
      documentId,
      version,
      revision: document.revision,
      title: document.title!,
      validFrom: timeOf(document.valid_from, -Infinity),
      validUntil: timeOf(document.valid_until, Infinity),
      chunks: packChunks(chunks.map(toPackedChunk)),
    }
    this.#changes.push({ documentId, pack })
    this.#documents.set(documentId, toLocal(document, chunks, vectors))
  }

  #withPiecesBefore(piece: SnapshotDocument, vectors: Uint8Array) {
    const { document, vectors: before } = this.#unfinished ?? {}
    if (!document || !before || document.document_id !== piece.document_id || document.version !== piece.version)
      return { document: piece, vectors }
    const chunks = [...document.chunks!, ...piece.chunks!]
    return { document: { ...piece, chunks }, vectors: Buffer.concat([before, vectors]) }
  }

  /** The knowledge after the update, of which all parts were added. */
  applyTo(knowledge: Knowledge): Knowledge {
    const documents = new Map(knowledge.documents)
    for (const [id, document] of this.#documents) {
      if (document) documents.set(id, document)
      else documents.delete(id)
    }
    const to = { version: this.#version, agent: this.#agent! }
    return { index: withChanges(knowledge.index, this.#changes, to), documents }
  }
}

/** The knowledge without documents that were removed since, at the same version. */
export function withoutDocuments(knowledge: Knowledge, ids: readonly string[]): Knowledge {
  const gone = (ids as DocumentId[]).filter((id) => knowledge.documents.has(id))
  if (gone.length === 0) return knowledge
  const documents = new Map(knowledge.documents)
  for (const id of gone) documents.delete(id)
  const changes = gone.map((documentId) => ({ documentId }))
  return { index: withChanges(knowledge.index, changes), documents }
}

function timeOf(text: string | null | undefined, none: number): number {
  return text ? new Date(text).getTime() : none
}

function toPackedChunk({ chunk_index, revision, sketch, terms }: SnapshotChunk) {
  return { chunk_index, revision, sketch: Buffer.from(sketch, 'base64'), terms: Buffer.from(terms, 'base64') }
}

function toLocal(
  { url = null, metadata = {}, is_cut: isCut = false }: SnapshotDocument,
  chunks: readonly SnapshotChunk[],
  bytes: Uint8Array,
): LocalDocument {
  const texts = chunks.map(({ chunk_id, content, token_count, metadata, page }) =>
    Buffer.from(JSON.stringify({ chunk_id, content, token_count, metadata, page } satisfies LocalText)),
  )
  let end = 0
  const ends = Uint32Array.from(texts, ({ length }) => (end += length))
  const vectors = new Uint16Array(chunks.length * dimensions)
  new Uint8Array(vectors.buffer).set(bytes)
  const places = Uint32Array.from(chunks, ({ chunk_index }) => chunk_index)
  const norms = new Float64Array(chunks.length)
  return { url, metadata, isCut, places, texts: Buffer.concat(texts), ends, vectors, norms }
}

/** The document of a chunk, and the chunk's number in it. */
function locate({ documents }: Knowledge, { document, index }: Place): { own: LocalDocument; i: number } {
  const own = documents.get(document.documentId)!
  return { own, i: own.places[index] === index ? index : own.places.indexOf(index) }
}

/** The text of a document's chunk i. */
export function textOf({ texts, ends }: LocalDocument, i: number): LocalText {
  return JSON.parse(texts.toString('utf8', ends[i - 1] ?? 0, ends[i]))
}

export function passageOf(knowledge: Knowledge, place: Place): PassageRow {
  const { scope } = knowledge.index
  const kept = keptPassage(scope, place)
  if (kept) return kept
  const { own, i } = locate(knowledge, place)
  const { documentId } = place.document
  const passage = { document_id: documentId, chunk_index: place.index, url: own.url, ...textOf(own, i) }
  keepPassages(scope, [place], [passage])
  return passage
}

/** Exact cosines of chunks with each vector, by vector. */
export function cosinesOf(
  knowledge: Knowledge,
  vectors: readonly ArrayLike<number>[],
  places: readonly Place[],
): number[][] {
  const located = places.map((place) => locate(knowledge, place))
  return vectors.map((vector) => {
    const unit = normalize(Float32Array.from(vector))
    return located.map(({ own, i }) => cosineWith(unit, own, i))
  })
}

/** @param unit a vector of norm 1 */
function cosineWith(unit: Float32Array, { vectors, norms }: LocalDocument, i: number): number {
  const at = i * dimensions
  if (norms[i] === 0) norms[i] = Math.sqrt(squaresOf(vectors, at))
  // Four sums, since each addition would wait for the one before it.
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let n = 0; n < dimensions; n += 4) {
    first += unit[n]! * halfOf[vectors[at + n]!]!
    second += unit[n + 1]! * halfOf[vectors[at + n + 1]!]!
    third += unit[n + 2]! * halfOf[vectors[at + n + 2]!]!
    fourth += unit[n + 3]! * halfOf[vectors[at + n + 3]!]!
  }
  return (first + second + third + fourth) / norms[i]!
}

function squaresOf(halves: Uint16Array, at: number): number {
  let squares = 0
  for (let n = at; n < at + dimensions; n++) squares += halfOf[halves[n]!]! ** 2
  return squares
}

/** The documents, or places in them, to which the filters confine a search; undefined for all. */
export function chosenBy(
  knowledge: Knowledge,
  { document_ids: ids, metadata, document_metadata }: Filters,
): Chosen | undefined {
  if (metadata === undefined && document_metadata === undefined) return ids && new Map(ids.map((id) => [id, 'all']))
  const isNamed = ids && new Set(ids)
  const chosen = new Map<DocumentId, ReadonlySet<number> | 'all'>()
  for (const { documentId } of knowledge.index.layers.flatMap(servedDocuments)) {
    const own = knowledge.documents.get(documentId)!
    if (isNamed?.has(documentId) === false || !contains(own.metadata, document_metadata ?? {})) continue
    chosen.set(documentId, metadata === undefined ? 'all' : new Set(placesWith(own, metadata)))
  }
  return chosen
}

function placesWith(document: LocalDocument, metadata: Record<string, unknown>): number[] {
  return Array.from(document.places).filter((_, i) => contains(textOf(document, i).metadata, metadata))
}

/** PostgreSQL's `jsonb @>`: an object has at least the other's members, an array at least its elements. */
export function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((element) => whole.some((each) => contains(each, element)))
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(whole, name) && contains(Reflect.get(whole, name), value),
  )
}
