import { groupBy } from '../../built-ins.ts'
import type { View } from '../index/agent-index.ts'
import { postingsOf } from '../index/segment.ts'
import { scratch } from '../scratch.ts'
import { type SoughtTerm, type WeighedTerm, weigh } from './weights.ts'

/** The words' part of a question's scores, until the next ranking. */
export interface WordScores {
  /** The share of the question's words that the agent has, 0 to 1; null for a question without words. */
  known: number | null
  /** The score of each chunk of the index, 0 to 1; 0 for a chunk that has no word. */
  scores: Float64Array
  /** 1 for a chunk that has a whole code of the question. */
  certain: Uint8Array
}

/** A chunk's gain from a term that it has once, twice or more often. Frequency saturates soon. */
const gains = [0, 0.85, 0.96, 1]
const lengthWeight = 0.2

/** Weighs a question's terms among the chunks that it may find. */
export function weighIn(view: View, terms: readonly SoughtTerm[]): WeighedTerm[] {
  const counts = new Map<number, number>()
  for (const { key } of terms) if (!counts.has(key)) counts.set(key, countChunksWith(view, key))
  return weigh(terms, view.valid, (key) => counts.get(key)!)
}

function countChunksWith(view: View, key: number): number {
  let count = 0
  if (view.visible) forEachChunk(view, key, () => count++)
  else
    for (const { segment } of view.index.layers) {
      const [from, to] = postingsOf(segment, key)
      count += to - from
    }
  return count
}

/** Scores all chunks that have a word of the question. */
export function scoreWords(view: View, terms: readonly SoughtTerm[]): WordScores {
  const { chunks } = view.index
  const scores = scratch(Float64Array, chunks)
  const certain = scratch(Uint8Array, chunks)
  if (terms.length === 0) return { known: null, scores, certain }
  const weighed = weighIn(view, terms)
  const worthOf = (of: WeighedTerm[]) => of.reduce((sum, { share }) => sum + share, 0)
  const worth = worthOf(weighed)
  const usable = weighed.filter(({ isUsable }) => isUsable)
  // Most questions have only words with one term, which need none.
  let sums: Record<'ofGroup' | 'ofWay', Sums> | undefined
  for (const group of groupBy(usable, (term) => term.group).values()) {
    const [only, ...others] = group
    if (others.length === 0 && !only!.isCode) addTerm(view, only!, scores)
    else {
      sums ??= { ofGroup: new Sums(chunks), ofWay: new Sums(chunks) }
      scoreGroup(view, group, sums, scores, certain)
    }
  }
  const usual = usualLength(view, weighed)
  for (const { segment, base } of view.index.layers)
    for (let i = 0; i < segment.lengths.length; i++) {
      const length = segment.lengths[i]!
      if (scores[base + i]! > 0) scores[base + i]! /= worth * (1 + (lengthWeight * length) / (length + usual))
    }
  return { known: worth > 0 ? worthOf(weighed.filter(({ isKnown }) => isKnown)) / worth : 0, scores, certain }
}

/** What some of the chunks are worth; most have no word of a way. */
class Sums {
  readonly worths: Float64Array
  /** The number of terms that each chunk has. */
  readonly counts: Uint8Array
  /** The chunks that have one: the first `size`. */
  readonly chunks: Uint32Array
  size = 0

  constructor(chunks: number) {
    this.worths = scratch(Float64Array, chunks)
    this.counts = scratch(Uint8Array, chunks)
    this.chunks = scratch(Uint32Array, chunks)
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.worths[this.chunks[i]!] = this.counts[this.chunks[i]!] = 0
    this.size = 0
  }
}

/** Adds what a group is worth in each chunk: the most that one of its ways is. */
function scoreGroup(
  view: View,
  group: readonly WeighedTerm[],
  { ofGroup, ofWay }: Record<'ofGroup' | 'ofWay', Sums>,
  scores: Float64Array,
  certain: Uint8Array,
): void {
  ofGroup.clear()
  for (const way of groupBy(group, (term) => term.way).values()) {
    ofWay.clear()
    for (const term of way) addTerm(view, term, ofWay.worths, ofWay)
    const isCode = way.some((term) => term.isCode)
    for (let i = 0; i < ofWay.size; i++) {
      const chunk = ofWay.chunks[i]!
      if (ofGroup.counts[chunk] === 0) ofGroup.chunks[ofGroup.size++] = chunk
      ofGroup.counts[chunk] = 1
      if (ofWay.worths[chunk]! > ofGroup.worths[chunk]!) ofGroup.worths[chunk] = ofWay.worths[chunk]!
      if (isCode && ofWay.counts[chunk] === way.length) certain[chunk] = 1
    }
  }
  for (let i = 0; i < ofGroup.size; i++) scores[ofGroup.chunks[i]!]! += ofGroup.worths[ofGroup.chunks[i]!]!
}

/** Adds what a term is worth in each chunk that has it, and counts it there. Has no callback, since it runs for each word of each chunk. */
function addTerm({ index, visible }: View, { key, worth }: WeighedTerm, scores: Float64Array, seen?: Sums): void {
  const worths = gains.map((gain) => worth * gain)
  for (const { segment, base } of index.layers) {
    const { postings } = segment
    const [from, to] = postingsOf(segment, key)
    for (let i = from; i < to; i++) {
      const chunk = base + (postings[i]! >>> 2)
      if (visible !== undefined && visible[chunk] === 0) continue
      scores[chunk]! += worths[postings[i]! & 3]!
      if (seen && seen.counts[chunk]!++ === 0) seen.chunks[seen.size++] = chunk
    }
  }
}

/** The mean length of the chunks that have a term, plus 1. */
function usualLength({ index, visible }: View, terms: readonly WeighedTerm[]): number {
  const keys = new Set(terms.map((term) => term.key))
  let count = 0
  let length = 0
  for (const { segment, base } of index.layers) {
    const { lengths, postings } = segment
    const hasTerm = scratch(Uint8Array, lengths.length)
    for (const key of keys) {
      const [from, to] = postingsOf(segment, key)
      for (let i = from; i < to; i++) hasTerm[postings[i]! >>> 2] = 1
    }
    for (let own = 0; own < lengths.length; own++) {
      if (hasTerm[own] === 0 || visible?.[base + own] === 0) continue
      count++
      length += lengths[own]!
    }
  }
  return count > 0 ? length / count + 1 : 1
}

/** Calls back for each chunk that a question may find and that has the term. */
function forEachChunk({ index, visible }: View, key: number, see: (chunk: number) => void): void {
  for (const { segment, base } of index.layers) {
    const [from, to] = postingsOf(segment, key)
    for (let i = from; i < to; i++) {
      const chunk = base + (segment.postings[i]! >>> 2)
      if (visible === undefined || visible[chunk] === 1) see(chunk)
    }
  }
}
