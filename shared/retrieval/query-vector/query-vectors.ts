import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import type { Statement } from '../../database/database.ts'
import { type AgentScope, isAgent } from '../../database/scope.ts'
import { toStored } from '../../embedding/vectors.ts'
import { querySketch } from './query-sketch.ts'

export type QueryVectorKey = Buffer

/** Ignores case, white space and punctuation other than within numbers (1.50, 1:50) and names (C#, AT&T). */
export function queryVectorKey(model: string, query: string): QueryVectorKey {
  const words = query
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<!\p{N})[\p{P}--[#%\&@]]+|[\p{P}--[#%\&@]]+(?!\p{N})/gv, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return createHash('sha256').update(`${model}\n${words}`).digest()
}

/** 6 kB each. The least recently used goes first. */
const maxCached = 2000

export function vectorCache() {
  const cached = new Map<string, Float32Array>()
  const nameOf = ({ organizationId }: AgentScope, key: QueryVectorKey) => `${organizationId} ${key.toString('base64')}`
  return {
    get(scope: AgentScope, key: QueryVectorKey): Float32Array | undefined {
      const name = nameOf(scope, key)
      const vector = cached.get(name)
      if (!vector) return undefined
      cached.delete(name)
      cached.set(name, vector)
      return vector
    },
    set(scope: AgentScope, key: QueryVectorKey, vector: Float32Array): void {
      cached.set(nameOf(scope, key), vector)
      if (cached.size > maxCached) cached.delete(cached.keys().next().value!)
    },
  }
}

const q = columnsOf('query_vectors', 'q')

export function findQueryVector({ organizationId }: AgentScope, key: QueryVectorKey) {
  return sql<{ key: Buffer }>`select ${q.key} from query_vectors q
    where ${q.organization_id} = ${organizationId} and ${q.key} = ${key}`
}

export function storedQuery(vector: ArrayLike<number> | undefined) {
  const { high, middle, low, cosinePerUnit } = vector ? querySketch(vector) : {}
  return { vector: vector && toStored(vector).embedding, high, middle, low, cosinePerUnit }
}

/** Stores a vector for all instances. The commit does not wait for the disk: a lost vector is fetched again. */
export function rememberQueryVector(scope: AgentScope, key: QueryVectorKey, vector: ArrayLike<number>): Statement {
  const { vector: embedding, high, middle, low, cosinePerUnit } = storedQuery(vector)
  return {
    compile: (db) =>
      db
        .insertInto('query_vectors')
        .columns(['organization_id', 'key', 'embedding', 'high', 'middle', 'low', 'cosine_per_unit'])
        .expression((db) =>
          db
            .selectFrom('agents as a')
            .select('a.organization_id')
            .select([
              sql<Buffer>`${key}::bytea`.as('key'),
              sql<string>`${embedding}::halfvec(1536)`.as('embedding'),
              sql<string>`${high}::bit(1536)`.as('high'),
              sql<string>`${middle}::bit(1536)`.as('middle'),
              sql<string>`${low}::bit(1536)`.as('low'),
              sql<number>`${cosinePerUnit}::float8`.as('cosine_per_unit'),
            ])
            .where(isAgent(scope))
            .where(sql<boolean>`set_config('synchronous_commit', 'off', true) = 'off'`),
        )
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
  }
}
