import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { expect } from 'vitest'
import { type Chunk, type ChunkSize, chunk } from '../../shared/chunking/chunker.ts'
import { isThorough } from '../support/tools/effort.ts'
import { partsOf } from '../support/tools/repeated-lines.ts'

export const tokens = (text: string) => encode(text, { disallowedSpecial: new Set() }).length
export const overlapOf = (text: string, chunks: Chunk[], index: number) =>
  text.slice(chunks[index]!.metadata.start, chunks[index - 1]?.metadata.end ?? 0)
/** Ten times as many random texts when it is thorough. */
export const effort = isThorough ? 10 : 1
export const small: ChunkSize = { targetTokens: 40, overlapTokens: 10 }

export const joined = (count: number, unit: (i: number) => string, separator = '') =>
  Array.from({ length: count }, (_, i) => unit(i)).join(separator)
export const sentence = (seed: number) =>
  `Guest ${seed} asked about table ${(seed * 7919) % 1013} and about the price of a window seat.`
export const paragraph = (seed: number, sentences = 6) => joined(sentences, (i) => sentence(seed * 100 + i), ' ')
export const contentsOf = (chunks: Chunk[]) => chunks.map(({ content }) => content)

/** Checks rules that hold for every text and every size. */
export function expectSound(text: string, size: ChunkSize = { targetTokens: 400, overlapTokens: 60 }): Chunk[] {
  const chunks = chunk(text, size)
  let covered = 0
  for (const [index, { chunk_index, content, token_count, metadata }] of chunks.entries()) {
    expect(chunk_index).toBe(index)
    expect(partsOf(text, chunks[index]!).own).not.toBe('')
    expect(metadata.start).toBeLessThanOrEqual(covered)
    expect(metadata.end).toBeGreaterThan(covered)
    if (text.isWellFormed()) expect(content.isWellFormed()).toBe(true)
    expect(token_count).toBeGreaterThan(0)
    covered = metadata.end
  }
  expect(covered).toBe(text.length)
  return chunks
}
