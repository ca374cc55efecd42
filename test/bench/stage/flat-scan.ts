import { dimensions } from '../../../shared/embedding/vectors.ts'
import { scoresOf } from './exact.ts'
import type { Library, Row } from './peers.ts'

type Rows = readonly Omit<Row, 'agent'>[]

/** What a user writes who takes no library: all vectors of an agent in one array, each compared with the question's. */
export function flatScan(): Pick<Library, 'add' | 'byMeaning' | 'close'> {
  const agents = new Map<string, { all: Float32Array; texts: string[] }>()
  const keep = (agent: string, rows: Rows) => {
    const all = new Float32Array(rows.length * dimensions)
    for (const [i, { vector }] of rows.entries()) all.set(vector, i * dimensions)
    agents.set(agent, { all, texts: rows.map(({ text }) => text) })
  }
  const nearest = (agent: string, limit: number, vector: number[]) => {
    const { all, texts } = agents.get(agent)!
    const best: number[] = []
    const scores = scoresOf(all, Float32Array.from(vector))
    for (let i = 0; i < scores.length; i++) {
      if (best.length === limit && scores[i]! <= scores[best.at(-1)!]!) continue
      best.push(i)
      best.sort((one, other) => scores[other]! - scores[one]!).splice(limit)
    }
    return best.map((i) => texts[i]!)
  }
  return {
    add: async (agent, rows) => keep(agent, rows),
    byMeaning: async (agent, _, limit, vector) => nearest(agent, limit, vector),
    close: async () => agents.clear(),
  }
}
