import { chunk } from '../../../shared/chunking/chunker.ts'
import { corpus } from '../data/texts.ts'
import { ours, type Part } from '../part.ts'
import { interleaved, isShort, millisecondsOf } from '../rounds.ts'

// No longer: some splitters take a time that grows with its square.
const characters = isShort ? 20_000 : 300_000

export const chunker: Part = {
  name: 'chunker',
  title: 'Chunker: at most 400 tokens, counted exactly',
  async *run({ peers }) {
    const text = corpus(characters)
    const bytes = Buffer.byteLength(text)
    const splitters = { [ours]: (content: string) => chunk(content).length, ...(await peers.splitters()) }
    const contestants = Object.fromEntries(
      Object.entries(splitters).map(([name, split]) => [
        name,
        async () => bytes / 1000 / (await millisecondsOf(() => split(text))),
      ]),
    )
    yield {
      work: `${(bytes / 1e6).toFixed(2)} MB of generated prose and Markdown, known words`,
      unit: 'MB/s',
      better: 'more',
      samples: await interleaved(contestants, { rounds: 9, seconds: 60, warmUps: 2 }),
      remark: 'Cuecard, LangChain and LlamaIndex with an overlap of 60 tokens, chonkie without.',
    }
  },
}
