import { dimensions } from '../../../shared/embedding/vectors.ts'
import { section } from '../data/texts.ts'
import type { Vectors } from '../data/vectors.ts'
import type { Agent, Cuecard } from './cuecard.ts'
import type { Store } from './peers.ts'
import type { Server } from './server.ts'
import { countChunks } from './tables.ts'

/** The content of an agent: its chunk `n` is section(seed, n) with vectors.of(n). */
export interface Content {
  seed: number
  vectors: Vectors
}

interface Range {
  from: number
  to: number
}

/** The texts of documents of `size` sections each. */
export function documentsOf(seed: number, { from, to }: Range, size: number): string[] {
  return Array.from({ length: Math.ceil((to - from) / size) }, (_, i) => {
    const first = from + i * size
    const length = Math.min(size, to - first)
    return Array.from({ length }, (_, n) => section(seed, first + n)).join('\n\n')
  })
}

const sectionsPerDocument = 100

/** Loads through POST and the embedding Lambda, ten documents at a time. @throws Error unless search then serves exactly these chunks */
export async function loadOurs(
  cuecard: Cuecard,
  agent: Agent,
  { seed, vectors }: Content,
  range: Range,
): Promise<void> {
  cuecard.prepare((topic) => vectors.of(topic))
  const per = sectionsPerDocument * 10
  for (let from = range.from; from < range.to; from += per) {
    const texts = documentsOf(seed, { from, to: Math.min(range.to, from + per) }, sectionsPerDocument)
    const create = (content: string) =>
      cuecard.createDocument(cuecard.event('POST', agent.path, agent.key, { title: 'Bench', content }))
    await Promise.all(texts.map(create))
    await cuecard.work()
  }
  const stored = await countChunks(cuecard.database, agent.agentId)
  if (stored !== range.to) throw new Error(`an agent of ${range.to} chunks has ${stored}`)
}

/** An agent's chunks as services and libraries take them. */
export function rowsOf({ seed, vectors }: Content, size: number) {
  return Array.from({ length: size }, (_, chunk) => ({
    chunk,
    text: section(seed, chunk),
    vector: [...vectors.of(chunk)],
  }))
}

const rowsPerInsert = 500

/** Writes by SQL what the stores' own `add` would write. Binary vectors make this many times faster. */
export async function loadPeers(
  { isNative }: Pick<Server, 'isNative'>,
  stores: Pick<Store, 'query' | 'insertFrom'>[],
  agent: string,
  { seed, vectors }: Content,
  size: number,
): Promise<void> {
  for (let first = 0; first < size; first += rowsPerInsert) {
    const chunks = Array.from({ length: Math.min(rowsPerInsert, size - first) }, (_, i) => first + i)
    const made = chunks.map((chunk) => vectors.of(chunk))
    const oid = await oidOfVector(stores[0]!)
    const values = [agent, chunks, chunks.map((chunk) => section(seed, chunk)), toArray(made, oid)]
    const source =
      '(select $1::text as agent, * from unnest($2::int[], $3::text[], $4::vector[]) as u(chunk, text, vector)) as source'
    const insert = (store: Pick<Store, 'query' | 'insertFrom'>) => store.query(store.insertFrom(source), values)
    if (isNative) await Promise.all(stores.map(insert))
    else for (const store of stores) await insert(store)
  }
}

const oids = new WeakMap<object, number>()

async function oidOfVector(store: Pick<Store, 'query'>): Promise<number> {
  const known = oids.get(store)
  if (known) return known
  const { rows } = (await store.query(`select 'vector'::regtype::oid::int as oid`)) as unknown as {
    rows: { oid: number }[]
  }
  oids.set(store, rows[0]!.oid)
  return rows[0]!.oid
}

/** Postgres's binary form of a vector[], which pg sends unchanged. */
function toArray(vectors: Float32Array[], oid: number): Buffer {
  const bytes = 4 + 4 * dimensions
  const buffer = Buffer.alloc(20 + vectors.length * (4 + bytes))
  let at = 0
  const int32 = (value: number) => {
    at = buffer.writeInt32BE(value, at)
  }
  for (const value of [1, 0, oid, vectors.length, 1]) int32(value)
  for (const vector of vectors) {
    int32(bytes)
    int32(dimensions << 16)
    for (const number of vector) at = buffer.writeFloatBE(number, at)
  }
  return buffer
}
