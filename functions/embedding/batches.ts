import { type Chunk, embeddedText } from './chunking/chunker.ts'

/** What one call may hold. */
export interface CallLimits {
  inputs: number
  tokens: number
}

/**
 * OpenAI takes 2,048 inputs of 8,192 tokens each and 300,000 together. A call holds fewer inputs, so that what a crash
 * may cost, what a refusal makes bisect and what the answers in flight take of memory all stay small.
 */
export const callLimits: CallLimits = { inputs: 512, tokens: 290_000 }

/** Divides the texts, in their order, into as few calls as the limits allow. A text over the limit goes alone. */
export function batches<T extends { chunk: Chunk }>(texts: T[], limits: CallLimits): T[][] {
  const calls: T[][] = []
  let tokens = 0
  for (const text of texts) {
    const size = maxTokensOf(text.chunk)
    const call = calls.at(-1)
    if (call && call.length < limits.inputs && tokens + size <= limits.tokens) {
      call.push(text)
      tokens += size
    } else {
      calls.push([text])
      tokens = size
    }
  }
  return calls
}

/** The chunk's own count, and for the heading path, which it leaves out, a byte a token: no tokenizer makes more. */
function maxTokensOf(chunk: Chunk): number {
  return chunk.token_count + Buffer.byteLength(embeddedText(chunk)) - Buffer.byteLength(chunk.content)
}
