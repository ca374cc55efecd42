import { question } from '../data/texts.ts'
import { type Bench, type Measurement, ours } from '../part.ts'
import { interleaved } from '../rounds.ts'
import type { Agent, Cuecard } from '../stage/cuecard.ts'
import type { Content } from '../stage/load.ts'

const limit = 10
/** What the keyword arm is to reach, by the agent's size. */
const mostMilliseconds: Record<number, number> = { 1000: 3, 20000: 15, 60000: 40 }

/** A question of eight words that stand in one of the chunks, frequent ones among them; the provider's call is left out. */
export async function* searchModes(
  bench: Bench,
  cuecard: Cuecard,
  { agent, content }: { agent: Agent; content: Content },
  size: number,
  work: string,
): AsyncGenerator<Measurement> {
  const rounds = bench.isQuick ? 15 : 40
  const asked = (mode: string) => async (round: number) => {
    const n = (Math.max(0, round) * 7919) % size
    const embedding = mode === 'keyword' ? {} : { embedding: [...(await content.vectors.query(n, size))] }
    const body = { query: question(content.seed, n), mode, limit, ...embedding }
    const event = cuecard.event('POST', `${agent.path}/search`, agent.key, body)
    const start = performance.now()
    await cuecard.search(event)
    return performance.now() - start
  }
  const modes = { keyword: asked('keyword'), semantic: asked('semantic'), hybrid: asked('hybrid') }
  const { keyword, semantic, hybrid } = await interleaved(modes, {
    rounds,
    seconds: bench.isQuick ? 5 : 20,
    warmUps: 3,
  })
  const shared = { unit: 'ms', better: 'less' } as const
  const atMost = mostMilliseconds[size]
  yield {
    ...shared,
    work: `${work}: keyword arm, p50`,
    ...(atMost && { goal: { atMost } }),
    samples: { [ours]: keyword! },
  }
  const slower = median(keyword!) > median(semantic!) ? keyword! : semantic!
  yield {
    ...shared,
    work: `${work}: both arms, p50`,
    goal: { times: 1 / 1.3 },
    samples: { [ours]: hybrid!, 'the slower arm': slower },
  }
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!
}
