import type { AgentScope } from '../../database/scope.ts'
import type { DocumentId } from '../../ids.ts'
import { bytesOf, type IndexedDocument, merged, type Pack, type Segment, segmentOf } from './segment.ts'

/** What an answer needs of the agent itself. */
export interface AgentFacts {
  name: string
  /** The agent's; null if nobody has chosen them. */
  time_zone: string | null
  holidays: string | null
  /** The model that serves the agent; null if it has none yet. */
  model: string | null
}

/** A segment and the places of its documents that search no longer serves in this state. */
interface Layer {
  segment: Segment
  gone: ReadonlySet<number>
  /** The first number of its chunks. */
  base: number
}

/** What search serves of an agent at one version. It never changes: a change makes another index, which shares most of its segments. */
export interface AgentIndex {
  scope: AgentScope
  /** The agent's `served_version`. */
  version: number
  agent: AgentFacts
  layers: readonly Layer[]
  /** All chunks, also of documents that are gone. */
  chunks: number
  bytes: number
}

/** A document that was changed, or a document that search no longer serves. */
export type Change = { documentId: DocumentId; pack?: Pack }

export function emptyIndex(scope: AgentScope): AgentIndex {
  const agent = { name: '', time_zone: null, holidays: null, model: null }
  return { scope, version: 0, agent, layers: [], chunks: 0, bytes: 0 }
}

/** The index after changes. Changed documents come into a segment of their own; a segment joins one that is not twice as large. */
export function withChanges(
  index: AgentIndex,
  changes: readonly Change[],
  { version, agent }: Pick<AgentIndex, 'version' | 'agent'> = index,
): AgentIndex {
  let layers: readonly Omit<Layer, 'base'>[] = withSegment(index, changes).layers
  for (let older = layers.at(-2); older && sizeOf(older) < 2 * sizeOf(layers.at(-1)!); older = layers.at(-2))
    layers = [...layers.slice(0, -2), { segment: merged(layers.slice(-2)), gone: new Set() }]
  return { ...withLayers(index, layers), version, agent }
}

/** The index with changed documents in a segment of their own. */
export function withSegment(index: AgentIndex, changes: readonly Change[]): AgentIndex {
  const last = new Map(changes.map((change) => [change.documentId, change]))
  const packs = [...last.values()].flatMap(({ pack }) => pack ?? [])
  const kept = index.layers.map((layer) => withoutDocuments(layer, last))
  return withLayers(index, packs.length > 0 ? [...kept, { segment: segmentOf(packs), gone: new Set() }] : kept)
}

function withLayers(index: AgentIndex, layers: readonly Omit<Layer, 'base'>[]): AgentIndex {
  let chunks = 0
  let bytes = 0
  const placed = layers.map(({ segment, gone }) => {
    const base = chunks
    chunks += segment.places.length
    bytes += bytesOf(segment)
    return { segment, gone, base }
  })
  return { ...index, layers: placed, chunks, bytes }
}

function withoutDocuments({ segment, gone }: Layer, changed: ReadonlyMap<DocumentId, unknown>): Omit<Layer, 'base'> {
  const further = segment.documents.flatMap(({ documentId }, i) => (changed.has(documentId) && !gone.has(i) ? [i] : []))
  return { segment, gone: further.length > 0 ? new Set([...gone, ...further]) : gone }
}

/** The documents of a segment that search still serves. */
export function servedDocuments({ segment, gone }: Omit<Layer, 'base'>): readonly IndexedDocument[] {
  return gone.size > 0 ? segment.documents.filter((_, i) => !gone.has(i)) : segment.documents
}

/** The chunks that search still serves, at least 1. */
function sizeOf(layer: Omit<Layer, 'base'>): number {
  return Math.max(1, chunksIn(servedDocuments(layer)))
}

/** The number of chunks that search serves. */
export function countChunks({ layers }: AgentIndex): number {
  return chunksIn(layers.flatMap(servedDocuments))
}

function chunksIn(documents: readonly IndexedDocument[]): number {
  return documents.reduce((sum, { from, to }) => sum + to - from, 0)
}

/** The document, the index and the revision under which a chunk is stored. */
export interface Place {
  document: IndexedDocument
  /** Its `chunk_index`. */
  index: number
  /** The revision that brought the chunk. */
  revision: number
}

export function placeOf({ layers }: AgentIndex, chunk: number): Place {
  const { segment, base } = layers.findLast((layer) => layer.base <= chunk)!
  const own = chunk - base
  return {
    document: segment.documents[segment.documentOf[own]!]!,
    index: segment.places[own]!,
    revision: segment.revisions[own]!,
  }
}

/** Documents that search may find: those with these ids, and of these only chunks at these places. */
export type Chosen = ReadonlyMap<DocumentId, ReadonlySet<number> | 'all'>

/** The chunks of an index that a question may find. */
export interface View {
  index: AgentIndex
  /** 1 for a chunk that it may find; undefined if it may find all. */
  visible: Uint8Array | undefined
  /** The number of these. */
  count: number
  /** The number of chunks that are valid, whatever was chosen. */
  valid: number
}

/** The views of indexes that are the same for every question. */
const views = new WeakMap<AgentIndex, View>()

/** @param at when documents must be valid, in milliseconds of the epoch @param chosen undefined for all */
export function viewOf(index: AgentIndex, at: number, chosen?: Chosen): View {
  if (chosen || index.layers.some(({ segment }) => segment.isDated)) return makeView(index, at, chosen)
  const view = views.get(index) ?? makeView(index, at)
  views.set(index, view)
  return view
}

function makeView(index: AgentIndex, at: number, chosen?: Chosen): View {
  const visible = new Uint8Array(index.chunks)
  let count = 0
  let valid = 0
  for (const layer of index.layers)
    for (const document of servedDocuments(layer)) {
      if (!isValid(document, at)) continue
      const { segment, base } = layer
      const { documentId, from, to } = document
      valid += to - from
      const own = chosen ? chosen.get(documentId) : 'all'
      if (own === 'all') {
        visible.fill(1, base + from, base + to)
        count += to - from
      } else if (own) {
        for (let chunk = from; chunk < to; chunk++)
          if (own.has(segment.places[chunk]!)) {
            visible[base + chunk] = 1
            count++
          }
      }
    }
  return { index, visible: count === index.chunks ? undefined : visible, count, valid }
}

function isValid({ validFrom, validUntil }: IndexedDocument, at: number): boolean {
  return validFrom <= at && at < validUntil
}

/** True if the same documents are valid at both moments. */
export function areEquallyValid({ layers }: AgentIndex, one: number, other: number): boolean {
  const dated = layers.filter(({ segment }) => segment.isDated)
  return dated.flatMap(servedDocuments).every((document) => isValid(document, one) === isValid(document, other))
}
