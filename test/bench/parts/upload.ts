import { section } from '../data/texts.ts'
import { type Vectors, vectorsOf } from '../data/vectors.ts'
import { type Bench, type Measurement, ours, type Part } from '../part.ts'
import { costOf, interleaved } from '../rounds.ts'
import { type Cuecard, openCuecard } from '../stage/cuecard.ts'

const chunks = 200

export const upload: Part = {
  name: 'upload',
  title: `POST of ${chunks} chunks with embeddings, CPU per 100`,
  async *run(bench) {
    const cuecard = await openCuecard(bench.server)
    const vectors = await vectorsOf('clustered', 1, chunks)
    try {
      yield* measure(bench, cuecard, 'as numbers', 15, bodyOf(vectors, toNumbers))
      const inBase64 = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64')
      yield* measure(bench, cuecard, 'as base64', 3, bodyOf(vectors, inBase64))
    } finally {
      await cuecard.close()
    }
  },
}

async function* measure(
  bench: Bench,
  cuecard: Cuecard,
  form: string,
  atMost: number,
  body: object,
): AsyncGenerator<Measurement> {
  const text = JSON.stringify(body)
  const agent = await cuecard.agent(await cuecard.organization())
  const per100 = (cpuMilliseconds: number) => (cpuMilliseconds * 100) / chunks
  let refusal: string | undefined
  const contestants = {
    async [ours]() {
      const created = await cuecard.createDocument(cuecard.event('POST', agent.path, agent.key, { title: 'Bench' }))
      const event = cuecard.event('POST', `${agent.path}/${JSON.parse(created).id}/chunks`, agent.key, body)
      const { result, cpuMilliseconds } = await costOf(() => cuecard.createChunks(event))
      if (result.statusCode !== 201) refusal = `not yet: ${result.statusCode} ${JSON.parse(result.body!).code}`
      return per100(cpuMilliseconds)
    },
    'JSON.parse, zod and join': async () => per100((await costOf(() => bench.peers.readUpload(text))).cpuMilliseconds),
  }
  const samples: Record<string, number[]> = await interleaved(contestants, {
    rounds: bench.isQuick ? 5 : 20,
    warmUps: 2,
  })
  if (refusal) delete samples[ours]
  const remark =
    refusal ??
    'Cuecard’s figure includes sending to the database, the peer’s only reads the body and makes SQL text of it.'
  yield { work: form, unit: 'ms', better: 'less', goal: { atMost }, samples, remark }
}

/** The eight digits of a float32, as providers print them. */
function toNumbers(vector: Float32Array): number[] {
  return Array.from(vector, (number) => Number(number.toPrecision(8)))
}

function bodyOf(vectors: Vectors, form: (vector: Float32Array) => number[] | string): object {
  return {
    chunks: Array.from({ length: chunks }, (_, chunk_index) => ({
      chunk_index,
      content: section(1, chunk_index),
      embedding: form(vectors.of(chunk_index)),
      metadata: { page: chunk_index },
    })),
  }
}
