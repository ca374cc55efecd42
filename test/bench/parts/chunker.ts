import { chunk } from '../../../functions/embedding/chunking/chunker.ts'
import { hostile } from '../data/hostile.ts'
import { corpus } from '../data/texts.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { interleaved, pick } from '../rounds.ts'
import type { Splitter } from '../stage/peers.ts'

export const chunker: Part = {
  name: 'chunker',
  title: 'Chunker: at most 400 tokens, counted exactly',
  async *run(bench) {
    yield* speed(bench)
    yield worst(bench)
  },
}

async function* speed({ isQuick, peers, progress }: Bench): AsyncGenerator<Measurement> {
  // No longer: some splitters take a time that grows with its square.
  const text = corpus(isQuick ? 200_000 : 300_000)
  const bytes = Buffer.byteLength(text)
  const timed = (split: Splitter) => async () => {
    const start = performance.now()
    const count = await split(text)
    return { count, megabytesPerSecond: bytes / 1000 / (performance.now() - start) }
  }
  const all = { [ours]: (content: string) => chunk(content).length, ...(await peers.splitters()) }
  const contestants = Object.fromEntries(Object.entries(all).map(([name, split]) => [name, timed(split)]))
  const results = await interleaved(contestants, { rounds: isQuick ? 3 : 9, seconds: isQuick ? 10 : 60, warmUps: 2 })
  for (const [name, runs] of Object.entries(results)) progress(`${name}: ${runs[0]!.count} chunks`)
  yield {
    work: `${(bytes / 1e6).toFixed(2)} MB of prose and Markdown`,
    unit: 'MB/s',
    better: 'more',
    goal: { times: 6, than: 'chonkie' },
    samples: pick(results, ({ megabytesPerSecond }) => megabytesPerSecond),
    remark: 'Cuecard, LangChain and LlamaIndex with an overlap of 60 tokens, chonkie without.',
  }
}

function worst({ isQuick }: Bench): Measurement {
  let slowest = { name: '', milliseconds: [0] }
  for (const [name, make] of Object.entries(hostile)) {
    const text = make(100_000)
    chunk(text)
    const milliseconds = Array.from({ length: isQuick ? 3 : 7 }, () => {
      const start = performance.now()
      chunk(text)
      return performance.now() - start
    })
    if (median(milliseconds) > median(slowest.milliseconds)) slowest = { name, milliseconds }
  }
  return {
    work: `100 KB of ${slowest.name}, the slowest of ${Object.keys(hostile).length} hostile texts`,
    unit: 'ms',
    better: 'less',
    goal: { atMost: 50 },
    samples: { [ours]: slowest.milliseconds },
  }
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!
}
