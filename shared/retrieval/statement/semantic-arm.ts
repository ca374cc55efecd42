import { sql } from 'kysely'
import type { Parameters } from '../../database/compiled-once.ts'
import { dimensions } from '../../embedding/vectors.ts'
import { estimateDeviation } from '../query-vector/query-sketch.ts'
import { type QueryVectorKey, storedQuery } from '../query-vector/query-vectors.ts'
import { type FilterParameters, isSearched } from './searched-chunks.ts'

/** An agent with up to so many chunks has all of them compared exactly. */
export const exactChunks = 1000
const maxCandidates = 2000
/** One chunk in 32 is in the sample, so that an agent with up to `exactChunks` rarely has as many. */
const minSample = 64
/** A chunk is left out if its estimate is so many deviations below the last of the best estimates. */
const deviations = 3

/** The cosine of a question and an unrelated text where the agent has a single chunk, so that there is nothing to compare with. */
const usualCosine = 0.15
/** An answer is nearer than unrelated text by half of what is left to 1, or by so many deviations if that is more. */
const alikeShare = 0.5
const alikeDeviations = 8

/** What the statement assumes about the agent. If it is wrong, the statement says so and must be repeated. */
export interface Traits {
  /** Whether the agent may have more than `exactChunks`: right for any agent, but slower for a small one. */
  isLarge: boolean
}

export type SemanticParameters = FilterParameters & ReturnType<typeof vectorParameters> & Traits

/** @param storedVector the key under which the vector may be stored; without vector and key nothing is near */
export function vectorParameters(vector: ArrayLike<number> | undefined, storedVector?: QueryVectorKey) {
  return { ...storedQuery(vector), storedVector: vector ? undefined : storedVector, hasVector: vector !== undefined }
}

/** The common table expressions `query` (none without a vector), `size`, `likeness` and `nearest`: the `limit` best and more, with `score`. */
export function semanticArm(p: Parameters<SemanticParameters>) {
  return sql`query as materialized (${p.hasVector ? givenQuery(p) : rememberedQuery(p)}),
${p.isLarge ? nearCandidates(p) : allCandidates(p)},
nearest as materialized (
  select n.document_id, n.revision, n.chunk_index, v.score
  from candidates n cross join lateral (
    select ${cosine(sql`embedding`)} as score from vectors
    where organization_id = ${p.organizationId} and document_id = n.document_id and id = n.vector_id offset 0) v),
${likeness(p)}`
}

/**
 * What cosines mean, found from those of this question and the agent's chunks, as each model spreads them differently: `unlike`, the mean of
 * all but the best, and how far above it `alike` is, an answer's. Of a large agent a sample's estimates show it.
 */
function likeness(p: Parameters<SemanticParameters>) {
  const ofSample = sql`select case when is_large then (${sql.lit(zeroDistance)} - distance) * cosine_per_unit end as score
    from sample cross join query cross join size`
  const compared = p.isLarge ? sql`compared` : sql`nearest`
  const noise = p.isLarge
    ? sql`case when (select is_large from size) then ${sql.lit(estimateDeviation ** 2)} else 0 end`
    : sql`0`
  const likeness = sql`likeness as materialized (
  select unlike, greatest(${sql.lit(alikeDeviations)} * deviation, ${sql.lit(alikeShare)} * (1 - unlike), 1e-6) as reach from (
    select ${rounded(sql`coalesce(avg(score), ${sql.lit(usualCosine)})`)} as unlike,
      ${rounded(sql`sqrt(greatest(0, coalesce(var_pop(score) - ${noise}, 0)))`)} as deviation
    from ${compared} where score < (select max(score) from ${compared})) c)`
  if (!p.isLarge) return likeness
  return sql`compared as materialized (
  select score from nearest where not (select is_large from size) union all ${ofSample}),
${likeness}`
}

/** The last digits of a sum depend on the order of its rows, and a restored database has another. */
const rounded = (number: ReturnType<typeof sql>) => sql`round((${number})::numeric, 6)::float8`

/** A cosine of `unlike` is unrelated to the question; one that is higher by `reach` answers it. */
export interface Likeness {
  unlike: number
  reach: number
}

/** 0 for what is unrelated to the question, 1 for what answers it. */
export function likenessOf(cosine: ReturnType<typeof sql>) {
  return sql`least(1, greatest(0, (${cosine} - (select unlike from likeness)) / (select reach from likeness)))`
}

/** The cosine of a vector and the query's; null without the latter. */
export function cosine(embedding: ReturnType<typeof sql>) {
  return sql`1 - (${embedding} <=> (select vector from query))`
}

/** The distance of an estimate of 0. */
const zeroDistance = (7 * dimensions) / 2
/** The error to expect of an estimate, in units of distance. */
const slack = sql`(select ${sql.lit(deviations * estimateDeviation)} / cosine_per_unit from query)`

function givenQuery({ vector, high, middle, low, cosinePerUnit }: Parameters<SemanticParameters>) {
  return sql`
  select ${vector}::halfvec(1536) as vector, ${high}::bit(1536) as high, ${middle}::bit(1536) as middle,
    ${low}::bit(1536) as low, ${cosinePerUnit}::float8 as cosine_per_unit`
}

function rememberedQuery({ organizationId, storedVector }: Parameters<SemanticParameters>) {
  return sql`
  select embedding as vector, high, middle, low, cosine_per_unit from query_vectors
  where organization_id = ${organizationId} and key = ${storedVector ?? sql`null`}::bytea`
}

const isComparable = (p: Parameters<SemanticParameters>) =>
  sql`${isSearched(p, 'c')} and c.sketch is not null and ${p.hasVector ? sql`true` : sql`exists (select from query)`}`

/** All chunks of a small agent. If it proves to be large, the search must be repeated for a large one. */
function allCandidates(p: Parameters<SemanticParameters>) {
  return sql`candidates as materialized (
  select document_id, revision, chunk_index, vector_id from chunks c where ${isComparable(p)} limit ${exactChunks + 1}),
size as (select count(*) > ${exactChunks}::int as is_large from candidates)`
}

/**
 * Chunks whose sketches are near, for an agent of any size: those whose estimate is not too far below the last of the best `limit`. A
 * sample's best is no nearer, so that far chunks are dropped before sorting. The condition on `vector_id` is the index `chunks_sample`'s.
 */
function nearCandidates(p: Parameters<SemanticParameters>) {
  const differing = (plane: string) => sql`(c.sketch <~> (select ${sql.ref(plane)} from query))`
  const distance = sql`(4 * ${differing('high')} + 2 * ${differing('middle')} + ${differing('low')})`
  const reach = (table: string) =>
    sql`(select distance from ${sql.table(table)} order by distance limit 1 offset ${p.limit}::int - 1) + ${slack}`
  const key = sql`document_id, revision, chunk_index, vector_id`
  return sql`sample as materialized (
  select ${distance} as distance from chunks c
  where ${isComparable(p)} and get_byte(uuid_send(c.vector_id), 15) < 8),
reach as (
  select coalesce(case when count(*) >= ${minSample}::int then ${reach('sample')} end, 'infinity') as distance from sample),
estimated as materialized (
  select ${key}, ${distance} as distance from chunks c
  where ${isComparable(p)} and ${distance} <= (select distance from reach)
  order by distance limit ${maxCandidates}),
size as (
  select count(*) > ${exactChunks}::int or (select distance from reach) < 'infinity' as is_large from estimated),
candidates as (
  select ${key} from estimated
  where distance <= (select case when is_large then ${reach('estimated')} else 'infinity' end from size)
  ${p.examined ? sql`union select ${key} from chunks c where ${isComparable(p)} and c.document_id = ${p.examined}` : sql``})`
}
