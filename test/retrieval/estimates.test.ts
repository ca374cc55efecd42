import { expect, test } from 'vitest'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import type { AgentId, DocumentId, OrganizationId } from '../../shared/ids.ts'
import { emptyIndex, viewOf, withChanges } from '../../shared/retrieval/index/agent-index.ts'
import { packChunks } from '../../shared/retrieval/index/segment.ts'
import { rank } from '../../shared/retrieval/ranking/rank.ts'
import { packTerms } from '../../shared/terms/packed-terms.ts'
import { type Kind, vectorsOf } from '../bench/data/vectors.ts'

const chunks = 1500
const questions = 10
const limit = 10
/** Scores that differ by less are equally good. */
const tie = 1e-4

const documentId = '1' as DocumentId
const scope = { organizationId: '1' as OrganizationId, agentId: '1' as AgentId }

function indexOf(vectors: Float32Array[]) {
  const terms = packTerms({ length: 0, entries: [] })
  const packed = packChunks(
    vectors.map((vector, i) => ({ chunk_index: i, revision: 1, sketch: sketchOf(vector), terms })),
  )
  const always = { validFrom: -Infinity, validUntil: Infinity }
  const pack = { documentId, version: 1, revision: 1, title: '', ...always, chunks: packed }
  return withChanges(emptyIndex(scope), [{ documentId, pack }])
}

test.each<[Kind, number]>([
  ['clustered', 100],
  ['off-centre', 150],
  ['near-duplicate', 30],
  ['sparse', 300],
])(
  'of %s vectors, the ten nearest are nearly always among at most %i that are compared exactly',
  async (kind, most) => {
    const source = await vectorsOf(kind, 5, chunks)
    const vectors = Array.from({ length: chunks }, (_, i) => source.of(i))
    const view = viewOf(indexOf(vectors), 0)
    let found = 0
    for (let n = 0; n < questions; n++) {
      const vector = await source.query(n, chunks)
      const cosines = vectors.map((each) => each.reduce((sum, number, i) => sum + number * vector[i]!, 0))
      const tenth = cosines.toSorted((a, b) => b - a)[limit - 1]!
      const draft = rank(view, 'semantic', [{ terms: [], weight: 0, vector }], limit)
      expect(draft.compared.length).toBeLessThanOrEqual(most)
      const best = draft.finish([draft.compared.map((chunk) => cosines[chunk]!)])
      found += best.filter(({ chunk }) => cosines[chunk]! >= tenth - tie).length
    }
    expect(found / (limit * questions)).toBeGreaterThanOrEqual(0.99)
  },
)
