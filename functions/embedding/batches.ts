import { estimatedTokens } from '../../shared/limits/tokens.ts'
import type { Missing } from './revision-plan.ts'

export interface CallLimits {
  inputs: number
  tokens: number
}

/** OpenAI accepts 2,048 inputs and 300,000 tokens. Fewer inputs limit the cost of a crash and of bisecting a rejection. */
export const callLimits: CallLimits = { inputs: 512, tokens: 290_000 }

/** The encoder takes a tenth of a second for a long text, and the work of an unfinished call is lost when the Lambda's time is up. */
export const localCallLimits: CallLimits = { ...callLimits, inputs: 32 }

/** Puts texts into as few calls as the limits allow, in order. A text over the limit has a call of its own. */
export function batches<T extends Pick<Missing, 'text' | 'chunks'>>(texts: T[], limits: CallLimits): T[][] {
  const calls: T[][] = []
  let tokens = 0
  for (const text of texts) {
    const size = maxTokensOf(text)
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

/** Our own token count of the chunks, and an estimate for the title and headings before each. */
export function tokensOf(call: Pick<Missing, 'text' | 'chunks'>[]): number {
  return call.reduce((sum, { text, chunks: [chunk] }) => {
    const before = text.slice(0, text.length - chunk!.content.length)
    return sum + chunk!.token_count + estimatedTokens(before)
  }, 0)
}

function maxTokensOf({ text, chunks: [chunk] }: Pick<Missing, 'text' | 'chunks'>): number {
  return chunk!.token_count + Buffer.byteLength(text) - Buffer.byteLength(chunk!.content)
}
