import { type Chunk, embeddedText } from './chunking/chunker.ts'

export interface CallLimits {
  inputs: number
  tokens: number
}

/**
 * OpenAI accepts 2,048 inputs of 8,192 tokens each and 300,000 tokens together. Fewer inputs keep small what a crash costs, what
 * a rejection makes us bisect and how much memory the responses in flight need.
 */
export const callLimits: CallLimits = { inputs: 512, tokens: 290_000 }

/** Divides the texts, in their order, into as few calls as the limits allow. A text over the limit has a call of its own. */
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

/** The chunk's own count and, for the heading path that it leaves out, a token per byte, which no tokenizer exceeds. */
function maxTokensOf(chunk: Chunk): number {
  return chunk.token_count + Buffer.byteLength(embeddedText(chunk)) - Buffer.byteLength(chunk.content)
}
