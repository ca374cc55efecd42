import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'
import { dimensions, normalize } from '../../../shared/embedding/vectors.ts'
import { question, section } from './texts.ts'

/** Vectors of one agent's chunks, and of questions to it; each the same in every run. */
export interface Vectors {
  of(chunk: number): Float32Array
  /** The vectors of an agent with so many chunks. */
  query(n: number, chunks: number): Promise<Float32Array>
}

export const kinds = ['clustered', 'scattered', 'off-centre', 'sparse', 'near-duplicate'] as const
export type Kind = (typeof kinds)[number]

export async function vectorsOf(kind: Kind, seed: number, chunks: number): Promise<Vectors> {
  if (kind === 'sparse') return await lexical(seed, chunks)
  const mix = recipes[kind]
  return {
    of: (chunk) => normalize(mix(seed, chunk, chunk)),
    query: (n, count) => {
      const near = random(seed, 9, n)() % count
      return Promise.resolve(normalize(mix(seed, near, 1_000_000_000 + n)))
    },
  }
}

/** The vector of a chunk; `own` is its unique part. */
type Recipe = (seed: number, chunk: number, own: number) => Float32Array

const recipes: Record<Exclude<Kind, 'sparse'>, Recipe> = {
  /** Topics of some 50 chunks under themes of some 1,000. */
  clustered: (seed, chunk, own) =>
    sum(
      [0.8, gaussian(seed, 1, Math.floor(chunk / 1000))],
      [0.8, gaussian(seed, 2, Math.floor(chunk / 50))],
      [0.8, gaussian(seed, 3, own)],
    ),
  scattered: (seed, _, own) => gaussian(seed, 3, own),
  /** Any two have a cosine of about 0.8. */
  'off-centre': (seed, chunk, own) =>
    sum([2.2, gaussian(seed, 4, 0)], [0.6, gaussian(seed, 2, Math.floor(chunk / 50))], [0.9, gaussian(seed, 3, own)]),
  /** Families of 20, within which the cosine is about 0.9975. */
  'near-duplicate': (seed, chunk, own) =>
    sum([1, gaussian(seed, 5, Math.floor(chunk / 20))], [0.05, gaussian(seed, 3, own)]),
}

async function lexical(seed: number, chunks: number): Promise<Vectors> {
  const embedder = lexicalEmbedder()
  const embedded = await embedder.embed(Array.from({ length: chunks }, (_, i) => section(seed, i)))
  return {
    of: (chunk) => embedded[chunk]!,
    query: async (n, count) => (await embedder.embed([question(seed, random(seed, 9, n)() % count)]))[0]!,
  }
}

function sum(...terms: [number, Float32Array][]): Float32Array {
  const total = new Float32Array(dimensions)
  for (const [weight, vector] of terms) for (let i = 0; i < dimensions; i++) total[i]! += weight * vector[i]!
  return total
}

const normals = makeNormals(1 << 16)
const remembered = new Map<string, Float32Array>()

/** Independent normal numbers for each purpose. Numbers that many vectors share are kept. */
function gaussian(seed: number, purpose: number, n: number): Float32Array {
  const key = `${seed} ${purpose} ${n}`
  const known = remembered.get(key)
  if (known) return known
  const vector = new Float32Array(dimensions)
  const next = random(seed, purpose, n)
  for (let i = 0; i < dimensions; i++) vector[i] = normals[next() & 0xffff]!
  if (purpose === 3) return vector
  if (remembered.size > 5000) remembered.clear()
  remembered.set(key, vector)
  return vector
}

/** Box and Muller's method, once: to draw from a table is many times faster. */
function makeNormals(count: number): Float32Array {
  const next = random(1, 2, 3)
  const uniform = () => (next() + 0.5) / 2 ** 32
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  )
}

/** Unsigned 32-bit integers: xorshift (Marsaglia 2003), its state mixed from the arguments. */
export function random(...seeds: number[]): () => number {
  let state = 0x9e3779b9
  for (const seed of seeds) {
    state = Math.imul(state ^ seed, 0x85ebca6b)
    state ^= state >>> 13
    state = Math.imul(state, 0xc2b2ae35) ^ (state >>> 16)
  }
  state ||= 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
