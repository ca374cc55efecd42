import { type LambdaName, queues } from '../wiring.ts'

/** Of Lambdas that serve requests: the most that run at a time, whatever the others do. */
export type ReservedConcurrency = Partial<Record<LambdaName, number>>

/** For 97 connections: 0.25 units of Neon, of which 7 are Neon's own. */
export const small = {
  documents: 10,
  chunks: 5,
  search: 25,
  mcp: 5,
  platforms: 8,
  organization: 2,
  agents: 2,
  dashboard: 6,
  reference: 5,
} as const satisfies ReservedConcurrency

/** For 412 connections: a unit of Neon. */
export const regular = {
  documents: 40,
  chunks: 20,
  search: 150,
  mcp: 20,
  platforms: 30,
  organization: 5,
  agents: 5,
  dashboard: 20,
  reference: 20,
} as const satisfies ReservedConcurrency

/** Of migrations, backfills, the sweeper and people. */
const others = 10

/**
 * Connections to the database that all may use at once: a Lambda that serves has one at a time, and one that works on a queue one for
 * each message of its batch.
 */
export function connectionsAtOnce(
  { reference: _, ...serving }: ReservedConcurrency,
  workers: { embeddingConcurrency: number; extractionConcurrency: number },
): number {
  const ofServing = Object.values(serving).reduce((sum, count) => sum + count, 0)
  const ofEmbedding = workers.embeddingConcurrency * queues.embedding.batchSize
  return ofServing + ofEmbedding + workers.extractionConcurrency * queues.extraction.batchSize + others
}
