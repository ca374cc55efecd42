import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
    const splitters = { [ours]: (content: string) => chunk(content).length, ...(await bench.peers.splitters()) }
    yield generated(bench, splitters)
    yield readmes(bench, splitters)
    yield worst(bench)
  },
}

const remark = 'Cuecard, LangChain and LlamaIndex with an overlap of 60 tokens, chonkie without.'
const warmUps = 2

/** A few thousand words, again and again: every word is in every cache. */
async function generated(bench: Bench, splitters: Record<string, Splitter>): Promise<Measurement> {
  // No longer: some splitters take a time that grows with its square.
  const text = corpus(bench.isQuick ? 200_000 : 300_000)
  const samples = await speeds(bench, splitters, bench.isQuick ? 3 : 9, () => text)
  return { work: `${megabytes(text)} MB of generated prose and Markdown, known words`, ...inMegabytes, samples, remark }
}

/** What people wrote, a text that nobody has met in each round: names, code and links are new to every cache. */
async function readmes(bench: Bench, { LlamaIndex: _, ...splitters }: Record<string, Splitter>): Promise<Measurement> {
  const packages = join(import.meta.dirname, '../../../node_modules')
  const all = globSync(['*/README.md', '@*/*/README.md'], { cwd: packages })
    .sort()
    .map((path) => readFileSync(join(packages, path), 'utf8'))
    .join('\n\n')
  const length = 100_000
  const rounds = Math.min(9, Math.floor(all.length / length) - warmUps)
  const part = (round: number) => all.slice((round + warmUps) * length, (round + warmUps + 1) * length)
  return {
    work: `${megabytes(part(0))} MB of READMEs, another in each round`,
    ...inMegabytes,
    samples: await speeds(bench, splitters, rounds, part),
    remark: `${remark} Cuecard counts whole chunks, the peers add up their parts. LlamaIndex takes too long.`,
  }
}

const inMegabytes = { unit: 'MB/s', better: 'more', goal: { times: 6, than: 'chonkie' } } as const

const megabytes = (text: string) => (Buffer.byteLength(text) / 1e6).toFixed(2)

async function speeds(
  { isQuick, progress }: Bench,
  splitters: Record<string, Splitter>,
  rounds: number,
  textOf: (round: number) => string,
): Promise<Record<string, number[]>> {
  const timed = (split: Splitter) => async (round: number) => {
    const text = textOf(round)
    const start = performance.now()
    const count = await split(text)
    return { count, megabytesPerSecond: Buffer.byteLength(text) / 1000 / (performance.now() - start) }
  }
  const contestants = Object.fromEntries(Object.entries(splitters).map(([name, split]) => [name, timed(split)]))
  const results = await interleaved(contestants, { rounds, seconds: isQuick ? 10 : 60, warmUps })
  for (const [name, runs] of Object.entries(results)) progress(`${name}: ${runs[0]!.count} chunks`)
  return pick(results, ({ megabytesPerSecond }) => megabytesPerSecond)
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
