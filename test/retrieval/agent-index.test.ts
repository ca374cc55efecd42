import { describe, expect, test } from 'vitest'
import type { AgentScope } from '../../shared/database/scope.ts'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import type { DocumentId } from '../../shared/ids.ts'
import {
  type AgentIndex,
  areEquallyValid,
  type Chosen,
  countChunks,
  emptyIndex,
  placeOf,
  viewOf,
  withChanges,
} from '../../shared/retrieval/index/agent-index.ts'
import { merged, type Pack, packChunks, postingsOf, segmentOf } from '../../shared/retrieval/index/segment.ts'
import { keywordQuery } from '../../shared/retrieval/keyword/keyword-query.ts'
import { soughtTerms } from '../../shared/retrieval/keyword/weights.ts'
import { type Hypothesis, rank } from '../../shared/retrieval/ranking/rank.ts'
import { searchModes } from '../../shared/retrieval/schemas.ts'
import { chunkTerms, indexedTerms } from '../../shared/terms/indexed-terms.ts'
import { Random } from '../simulation/random.ts'
import { scatteredVectors } from '../support/provider/scattered.ts'
import { isThorough } from '../support/tools/effort.ts'

const nobody = emptyIndex({ organizationId: 'o', agentId: 'a' } as AgentScope)

const random = new Random(20)
const { scattered, around } = scatteredVectors(random)
const centers = Array.from({ length: 6 }, scattered)
/** Few enough that chunks of several documents have the same vector. */
const vectors = Array.from({ length: 50 }, () => around(random.pick(centers), 1.5))
const sketches = vectors.map(sketchOf)

/** A chunk: a text, and the number of its vector. */
interface Chunk {
  text: string
  vector: number
}

/** What a test says of a document; the rest is usual. */
interface Said extends Partial<Omit<Pack, 'chunks' | 'documentId'>> {
  chunks: readonly Chunk[]
}

function pack(id: string, { chunks, ...said }: Said): Pack {
  const rows = chunks.map(({ text, vector }, chunk_index) => ({
    chunk_index,
    revision: said.revision ?? 1,
    sketch: sketches[vector]!,
    terms: chunkTerms(text),
  }))
  const usual = { version: 1, revision: 1, title: 'T', validFrom: -Infinity, validUntil: Infinity }
  return { documentId: id as DocumentId, ...usual, ...said, chunks: packChunks(rows) }
}

const indexOf = (packs: readonly Pack[], index = nobody) =>
  withChanges(
    index,
    packs.map((each) => ({ documentId: each.documentId, pack: each })),
  )

const nameOf = (index: AgentIndex, chunk: number) => {
  const { document, index: place, revision } = placeOf(index, chunk)
  return `${document.documentId} ${document.revision} ${revision} ${place}`
}

interface Asked {
  hypotheses: readonly Hypothesis[]
  at?: number
  chosen?: Chosen | undefined
  limit?: number
}

/** What `rank` finds, by documents and places. @param cosine of a hypothesis and a place */
function ranked(
  index: AgentIndex,
  mode: (typeof searchModes)[number],
  { hypotheses, at = 0, chosen, limit = 10 }: Asked,
  cosine: (h: number, documentId: string, place: number) => number,
) {
  const draft = rank(viewOf(index, at, chosen), mode, hypotheses, limit)
  const places = draft.compared.map((chunk) => placeOf(index, chunk))
  const cosines = hypotheses.map((_, h) => places.map((place) => cosine(h, place.document.documentId, place.index)))
  return {
    compared: draft.compared.map((chunk) => nameOf(index, chunk)).toSorted(),
    found: draft.finish(cosines).map(({ chunk, likeness, ...scores }) => ({
      ...scores,
      name: nameOf(index, chunk),
      // The order of a sum changes its last digits.
      likeness: likeness && [likeness.unlike.toFixed(9), likeness.reach.toFixed(9)],
    })),
  }
}

const askedOf = (query: string, vector?: ArrayLike<number>): Hypothesis => ({
  terms: soughtTerms(keywordQuery(query)),
  weight: 0.6,
  vector,
})

function cosineOf(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let [product, squares, otherSquares] = [0, 0, 0]
  for (let i = 0; i < one.length; i++) {
    product += one[i]! * other[i]!
    squares += one[i]! ** 2
    otherSquares += other[i]! ** 2
  }
  return product / Math.sqrt(squares * otherSquares)
}

const vocabulary =
  'lamp bell wheel chain pedal saddle brake spoke frame pump lock basket K-4471 B-220 Kowalski Novak'.split(' ')
const words = (count: number) => Array.from({ length: count }, () => random.pick(vocabulary)).join(' ')

describe('an index that is kept up to date', () => {
  const steps = isThorough ? 1500 : 300
  /** Chunks of a document, by its id. */
  const stored = new Map<string, Said>()
  let documents = 0

  const newChunks = () =>
    Array.from({ length: random.below(9) }, () => ({
      text: words(1 + random.below(12)),
      vector: random.below(vectors.length),
    }))

  /** Changes one document at random. @returns its id */
  function change(): string {
    const known = [...stored.keys()]
    const acts = { add: known.length < 70 ? 6 : 1, replace: 4, remove: known.length < 70 ? 1 : 4, rename: 2, date: 2 }
    const act = known.length === 0 ? 'add' : random.weighed(acts)
    const id = act === 'add' ? `document ${String(documents++).padStart(5, '0')}` : random.pick(known)
    const before = stored.get(id) ?? { chunks: newChunks(), title: words(2) }
    const revision = (before.revision ?? 0) + 1
    if (act === 'remove') stored.delete(id)
    else if (act === 'rename') stored.set(id, { ...before, title: words(3) })
    else if (act === 'date') {
      const validFrom = random.pick([-Infinity, 100, 200])
      stored.set(id, { ...before, validFrom, validUntil: random.pick([validFrom + 100, Infinity]) })
    } else stored.set(id, { ...before, revision, chunks: act === 'add' ? before.chunks : newChunks() })
    return id
  }

  function question(): Asked {
    const ids = [...stored.keys()]
    const chosen = new Map(
      ids
        .filter(() => random.chance(0.3))
        .map((id) => [id as DocumentId, random.pick(['all' as const, new Set([0, 2])])]),
    )
    return {
      hypotheses: Array.from({ length: random.pick([1, 1, 2]) }, () =>
        askedOf(words(1 + random.below(4)), around(random.pick(centers), 1.5)),
      ),
      at: random.pick([0, 99, 100, 150, 200, 299, 300]),
      chosen: random.chance(0.3) ? chosen : undefined,
      limit: random.pick([1, 10, 40]),
    }
  }

  test(`finds the same, with the same scores, as one that is built anew, at each of ${steps} random changes`, () => {
    let index = nobody
    const sizes = { small: 0, large: 0 }
    let mostLayers = 0
    for (let step = 0; step < steps; step++) {
      // Some change a document twice: the last change counts.
      const changes = Array.from({ length: random.pick([1, 1, 2, 5]) }, () => {
        const documentId = change() as DocumentId
        const said = stored.get(documentId)
        return said ? { documentId, pack: pack(documentId, said) } : { documentId }
      })
      index = withChanges(index, changes)
      const packs = [...stored].map(([id, said]) => pack(id, said))
      const anew = indexOf(packs.toSorted(() => random.next() - 0.5))
      expect(anew.layers.length).toBeLessThan(2)
      expect(countChunks(index)).toBe(anew.chunks)
      mostLayers = Math.max(mostLayers, index.layers.length)
      sizes[anew.chunks > 200 ? 'large' : 'small']++
      const asked = question()
      const cosines = asked.hypotheses.map(({ vector }) => vectors.map((each) => cosineOf(each, vector!)))
      const cosine = (h: number, id: string, place: number) => cosines[h]![stored.get(id)!.chunks[place]!.vector]!
      for (const mode of searchModes)
        expect(ranked(index, mode, asked, cosine), `step ${step}, ${mode}`).toEqual(ranked(anew, mode, asked, cosine))
    }
    expect(Math.min(sizes.small, sizes.large)).toBeGreaterThan(steps / 10)
    expect(mostLayers).toBeGreaterThan(2)
    // Each is at least twice as large as the next.
    expect(mostLayers).toBeLessThanOrEqual(Math.log2(index.chunks) + 2)
  })
})

test('changes leave the index as it was, for searches that still use it', () => {
  const one = pack('one', { chunks: [{ text: 'lamp', vector: 0 }] })
  const before = indexOf([one, pack('two', { chunks: Array(9).fill({ text: 'bell', vector: 1 }) })])
  const find = (index: AgentIndex) =>
    ranked(index, 'keyword', { hypotheses: [askedOf('lamp')] }, () => 0).found.map(({ name }) => name)
  expect(find(before)).toEqual(['one 1 1 0'])
  const after = indexOf([{ ...one, revision: 2 }], before)
  expect(find(withChanges(after, [{ documentId: one.documentId }]))).toEqual([])
  expect(find(after)).toEqual(['one 2 1 0'])
  expect(find(before)).toEqual(['one 1 1 0'])
})

describe('chunks with the same score', () => {
  // Their vectors differ, so that estimates give another order.
  const chunks = [7, 9, 5].map((vector) => ({ text: 'lamp', vector }))
  const index = indexOf([pack('c', { chunks })], indexOf(['b', 'a'].map((id) => pack(id, { chunks }))))
  const names = ['a', 'b', 'c'].flatMap((id) => [0, 1, 2].map((place) => `${id} 1 1 ${place}`))

  test.each(searchModes)('come by document and place in %s mode, also where the limit cuts them', (mode) => {
    const hypotheses = [askedOf('lamp', vectors[8])]
    for (const limit of [9, 10])
      expect(ranked(index, mode, { hypotheses, limit }, () => 0.5).found.map(({ name }) => name)).toEqual(names)
    // All that tie with the last are compared, so that the cut is by name.
    expect(ranked(index, mode, { hypotheses, limit: 4 }, () => 0.5).found.map(({ name }) => name)).toEqual(
      names.slice(0, 4),
    )
  })
})

test('two moments are equally valid unless a document that is served begins or ends between them', () => {
  const chunks = [{ text: 'lamp', vector: 0 }]
  const dated = { validFrom: 10, validUntil: 20, chunks }
  const index = indexOf([pack('always', { chunks }), pack('dated', dated)])
  expect(areEquallyValid(index, 0, 9)).toBe(true)
  expect(areEquallyValid(index, 9, 10)).toBe(false)
  expect(areEquallyValid(index, 10, 19)).toBe(true)
  expect(areEquallyValid(index, 20, 19)).toBe(false)
  // It is valid only in between.
  expect(areEquallyValid(index, 9, 20)).toBe(true)
  const without = withChanges(index, [{ documentId: 'dated' as DocumentId }])
  expect(areEquallyValid(without, 9, 10)).toBe(true)
  expect(areEquallyValid(indexOf([pack('dated', dated)], without), 9, 10)).toBe(false)
})

test('a merged segment has nothing of the documents that are gone', () => {
  const chunksOf = (text: string) => [
    { text, vector: 1 },
    { text: `${text} chain`, vector: 2 },
  ]
  const older = segmentOf([pack('a', { chunks: chunksOf('lamp') }), pack('b', { chunks: chunksOf('bell') })])
  const newer = segmentOf([pack('c', { chunks: chunksOf('saddle') }), pack('d', { chunks: chunksOf('lamp lamp') })])
  const kept = [pack('b', { chunks: chunksOf('bell') }), pack('d', { chunks: chunksOf('lamp lamp') })]
  const both = merged([
    { segment: older, gone: new Set([0]) },
    { segment: newer, gone: new Set([0]) },
  ])
  expect(both).toEqual(segmentOf(kept))
  const [saddle] = indexedTerms('saddle').entries[0]!
  expect(postingsOf(newer, saddle)).not.toEqual([0, 0])
  expect(postingsOf(both, saddle)).toEqual([0, 0])
})
