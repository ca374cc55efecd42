import { type Chunk, embeddedText } from './chunking/chunker.ts'

export interface CallLimits {
  inputs: number
  tokens: number
}

/**
 * OpenAI accepts 2,048 inputs of 8,192 tokens each and 300,000 tokens in all. Fewer inputs limit the cost of a crash, the
 * bisection of a rejection and the memory of responses in flight.
 */
export const callLimits: CallLimits = { inputs: 512, tokens: 290_000 }

/** As few calls as the limits allow, in order. A text over the limit has a call of its own. */
export function batches<T extends { chunks: Chunk[] }>(texts: T[], limits: CallLimits): T[][] {
  const calls: T[][] = []
  let tokens = 0
  for (const text of texts) {
    const size = maxTokensOf(text.chunks[0]!)
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

/** For the heading path, which the chunk's count leaves out, a token per byte: no tokenizer exceeds that. */
function maxTokensOf(chunk: Chunk): number {
  return chunk.token_count + Buffer.byteLength(embeddedText(chunk)) - Buffer.byteLength(chunk.content)
}
