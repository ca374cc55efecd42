import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { SpanTable } from './span-table.ts'

/** Built beside the bundle: reading the table takes 2 ms, making it 20. */
export const readyTable = 'cl100k.table'

export const slotCount = 2 ** 18
const maxTokenBytes = 128
const [lineFeed, blank, padding] = [0x0a, 0x20, 0x3d]
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export function tokenRanks(): SpanTable {
  const ready = join(import.meta.dirname, readyTable)
  return existsSync(ready) ? SpanTable.ofFile(readFileSync(ready), slotCount) : makeTokenRanks()
}

/** Decodes base64 itself, since 100,000 calls of Buffer.from take 50 ms. */
export function makeTokenRanks(): SpanTable {
  const file = readFileSync(createRequire(import.meta.url).resolve('gpt-tokenizer/data/cl100k_base.tiktoken'))
  const ranks = SpanTable.empty(slotCount, file.length)
  const values = new Uint8Array(0x80)
  for (let value = 0; value < digits.length; value++) values[digits.charCodeAt(value)] = value
  const token = new Uint16Array(maxTokenBytes)
  for (let at = 0, rank = 0; at < file.length; at++, rank++) {
    let size = 0
    let bits = 0
    let value = 0
    for (; file[at] !== blank && file[at] !== padding; at++) {
      value = (value << 6) | values[file[at]!]!
      bits += 6
      if (bits < 8) continue
      bits -= 8
      token[size++] = (value >> bits) & 0xff
    }
    ranks.set(token, 0, size, rank)
    while (file[at] !== lineFeed) at++
  }
  return ranks
}
