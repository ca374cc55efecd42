import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { BoundedMap } from '../../bounded-map.ts'
import { columnsOf } from '../../database/columns.ts'
import { type AgentScope, isAgent } from '../../database/scope.ts'
import { toStored } from '../../embedding/stored-vectors.ts'
import { normalForm } from '../../text/normal-form.ts'

export type QueryVectorKey = Buffer

/** Ignores case, white space and punctuation other than within numbers (1.50, 1:50) and names (C#, AT&T). */
export function queryVectorKey(model: string, query: string): QueryVectorKey {
  const words = normalForm(query)
    .toLowerCase()
    .replaceAll(/(?<!\p{N})(?:(?![#%&@])\p{P})+|(?:(?![#%&@])\p{P})+(?!\p{N})/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return createHash('sha256').update(`${model}\n${words}`).digest()
}

/** Vectors of 6 kB each; the least recently used is dropped first. */
const maxCached = 2000

export function vectorCache() {
  const cached = new BoundedMap<string, Float32Array>(maxCached)
  const nameOf = ({ organizationId }: AgentScope, key: QueryVectorKey) => `${organizationId} ${key.toString('base64')}`
  return {
    get(scope: AgentScope, key: QueryVectorKey): Float32Array | undefined {
      const name = nameOf(scope, key)
      const vector = cached.get(name)
      if (vector) cached.set(name, vector)
      return vector
    },
    set(scope: AgentScope, key: QueryVectorKey, vector: Float32Array): void {
      cached.set(nameOf(scope, key), vector)
    },
  }
}

const q = columnsOf('query_vectors', 'q')

/** Selects the vectors that are stored under these keys, as text of a `halfvec`. */
export function findQueryVectors({ organizationId }: AgentScope, keys: readonly QueryVectorKey[]) {
  return sql<{ key: string; embedding: string }>`
    select encode(${q.key}, 'hex') as key, ${q.embedding}::text as embedding from query_vectors q
    where ${q.organization_id} = ${organizationId} and ${q.key} = any(${keys}::bytea[])`
}

/** The statements that store vectors for all instances. The commit does not wait for the disk: a lost vector is fetched again. */
export function rememberQueryVectors(
  scope: AgentScope,
  made: readonly { key: QueryVectorKey; vector: ArrayLike<number> }[] = [],
) {
  const statements = made.map(({ key, vector }, i) => {
    const statement = sql`insert into query_vectors (organization_id, key, embedding)
      select a.organization_id, ${key}::bytea, ${toStored(vector).embedding}::halfvec(1536)
      from agents a where ${isAgent(scope)} and set_config('synchronous_commit', 'off', true) = 'off'
      on conflict do nothing`
    return [`remembered${i}`, statement] as const
  })
  return Object.fromEntries(statements)
}
