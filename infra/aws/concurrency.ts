import type { LambdaName } from '../wiring.ts'

export type ReservedConcurrency = Partial<Record<LambdaName, number>>

/** Fits 97 connections: 0.25 units of Neon, less the 7 that Neon uses itself. */
export const small = {
  documents: 8,
  chunks: 4,
  search: 25,
  snapshot: 5,
  mcp: 4,
  platforms: 8,
  connect: 2,
  organization: 2,
  agents: 2,
  questions: 2,
  dashboard: 5,
  reference: 5,
} as const satisfies ReservedConcurrency

/** Fits 412 connections: a unit of Neon. */
export const regular = {
  documents: 31,
  chunks: 14,
  search: 150,
  snapshot: 40,
  mcp: 19,
  platforms: 30,
  connect: 5,
  organization: 5,
  agents: 5,
  questions: 5,
  dashboard: 20,
  reference: 20,
} as const satisfies ReservedConcurrency
