import { normalize } from '../vectors.ts'
import { type Matrix, matrices } from './matrices.ts'
import { tileColumns, tileRows } from './matrix-kernel.ts'
import { readModel } from './model.ts'
import { tokenizer } from './tokenizer.ts'

export const width = 512
const inputWidth = 256
const hiddenWidth = 1536
const heads = 4
const epsilon = 1e-6
/** Later tokens of a sentence are not read. */
const maxTokens = 128
/** So many tokens of several sentences are encoded together. */
const maxBatch = 512
const weightCount = 5_000_000

/**
 * Universal Sentence Encoder lite (Cer et al. 2018): two layers of a transformer, then the mean of the tokens. Vectors are normalized;
 * sentences in other languages than English have none.
 */
export function sentenceEncoder(): (sentences: string[]) => (Float32Array | undefined)[] {
  const { vocabulary, tensor } = readModel()
  const { tokensOf, isInLanguage } = tokenizer(vocabulary)
  const rows = maxBatch + tileRows
  const { floats, allocate, pack, addProduct } = matrices(
    weightCount + rows * (3 * width + hiddenWidth) + (maxTokens + tileRows) * (maxTokens + width),
  )
  const dense = (kernel: string, bias: string) => {
    const weights = tensor(kernel)
    const biases = tensor(bias)
    const depth = weights.length / biases.length
    const { at } = allocate(depth, biases.length)
    pack(at, depth, biases.length, (row, column) => weights[row * biases.length + column]!)
    return { at, depth, bias: biases }
  }
  const layerNorm = (name: string) => ({ scale: tensor(`${name}_scale/`), bias: tensor(`${name}_bias/`) })
  const layers = [inputWidth, width].map((width, i) => {
    const layer = `Layer_${i}/TransformerLayer`
    return {
      width,
      attentionNorm: layerNorm(`${layer}/layer_prepostprocess/layer_norm/layer_norm`),
      queriesKeysValues: dense(
        `${layer}/MultiheadAttention/qkv_transform_single/kernel`,
        `${layer}/MultiheadAttention/qkv_transform_single/bias`,
      ),
      mix: dense(
        `${layer}/MultiheadAttention/output_transform_single/kernel`,
        `${layer}/MultiheadAttention/output_transform_single/bias`,
      ),
      widen: i === 0 ? dense(`${layer}/dense/kernel`, `${layer}/dense/bias`) : undefined,
      hiddenNorm: layerNorm(`${layer}/FFN/layer_prepostprocess/layer_norm/layer_norm`),
      expand: dense(`${layer}/FFN/conv1/Tensordot/Reshape_1`, `${layer}/FFN/conv1/bias`),
      contract: dense(`${layer}/FFN/conv2/Tensordot/Reshape_1`, `${layer}/FFN/conv2/bias`),
    }
  })
  const output = dense('tanh_layer_0/weights', 'tanh_layer_0/bias')
  const embeddings = tensor('Embeddings_en')
  const frequencies = tensor('TimingSignal/ExpandDims_1')
  const [states, normed, mixed] = [allocate(rows, width), allocate(rows, width), allocate(rows, width)]
  const hidden = allocate(rows, hiddenWidth)
  const scores = allocate(maxTokens + tileRows, maxTokens)
  const panels = allocate(maxTokens, width)

  /** To = from · weights + bias, or to += …, row by row without gaps. */
  function multiply(
    from: Matrix,
    { at, depth, bias }: ReturnType<typeof dense>,
    to: Matrix,
    count: number,
    adds = false,
  ) {
    const columns = bias.length
    for (let row = to.at; row < to.at + count * columns; row += columns)
      for (let i = 0; i < columns; i++) floats[row + i] = (adds ? floats[row + i]! : 0) + bias[i]!
    addProduct({ at: from.at, stride: depth }, at, { at: to.at, stride: columns }, count, depth, columns)
  }

  function normalizeRows(from: Matrix, { scale, bias }: ReturnType<typeof layerNorm>, to: Matrix, count: number) {
    const columns = bias.length
    for (let row = 0; row < count * columns; row += columns) {
      let sum = 0
      for (let i = 0; i < columns; i++) sum += floats[from.at + row + i]!
      const mean = sum / columns
      let squares = 0
      for (let i = 0; i < columns; i++) squares += (floats[from.at + row + i]! - mean) ** 2
      const factor = 1 / Math.sqrt(squares / columns + epsilon)
      for (let i = 0; i < columns; i++)
        floats[to.at + row + i] = (floats[from.at + row + i]! - mean) * factor * scale[i]! + bias[i]!
    }
  }

  /** Rows of `hidden` are a token's queries, keys and values of all heads. */
  function attend(first: number, length: number, width: number) {
    const size = width / heads
    const stride = 3 * width
    const rows = hidden.at + first * stride
    const to = mixed.at + first * width
    const scoreStride = Math.ceil(length / tileColumns) * tileColumns
    floats.fill(0, to, to + length * width)
    for (let head = 0; head < heads; head++) {
      const query = rows + head * size
      pack(panels.at, size, length, (i, token) => floats[query + width + token * stride + i]!)
      floats.fill(0, scores.at, scores.at + length * scoreStride)
      const scored = { at: scores.at, stride: scoreStride }
      addProduct({ at: query, stride }, panels.at, scored, length, size, scoreStride)
      for (let token = 0; token < length; token++) softmax(scores.at + token * scoreStride, length, Math.sqrt(size))
      pack(panels.at, length, size, (token, i) => floats[query + 2 * width + token * stride + i]!)
      addProduct(scored, panels.at, { at: to + head * size, stride: width }, length, length, size)
    }
  }

  function softmax(at: number, length: number, divisor: number) {
    let sum = 0
    let largest = -Infinity
    for (let i = at; i < at + length; i++) largest = Math.max(largest, floats[i]!)
    for (let i = at; i < at + length; i++) sum += floats[i] = Math.exp((floats[i]! - largest) / divisor)
    for (let i = at; i < at + length; i++) floats[i]! /= sum
  }

  function placeTokens(sentence: number[], first: number) {
    const half = frequencies.length
    for (const [position, token] of sentence.entries()) {
      const row = states.at + (first + position) * inputWidth
      for (let i = 0; i < inputWidth; i++) {
        const angle = position * frequencies[i % half]!
        floats[row + i] = 2 * embeddings[token * inputWidth + i]! + (i < half ? Math.sin(angle) : Math.cos(angle))
      }
    }
  }

  function encodeBatch(sentences: number[][]): Float32Array[] {
    const starts: number[] = []
    let count = 0
    for (const sentence of sentences) {
      starts.push(count)
      placeTokens(sentence, count)
      count += sentence.length
    }
    for (const layer of layers) {
      normalizeRows(states, layer.attentionNorm, normed, count)
      multiply(normed, layer.queriesKeysValues, hidden, count)
      for (const [i, { length }] of sentences.entries()) attend(starts[i]!, length, layer.width)
      if (layer.widen) {
        floats.copyWithin(normed.at, states.at, states.at + count * layer.width)
        multiply(normed, layer.widen, states, count)
      }
      multiply(mixed, layer.mix, states, count, true)
      normalizeRows(states, layer.hiddenNorm, normed, count)
      multiply(normed, layer.expand, hidden, count)
      for (let i = hidden.at; i < hidden.at + count * hiddenWidth; i++) if (floats[i]! < 0) floats[i] = 0
      multiply(hidden, layer.contract, states, count, true)
    }
    floats.fill(0, normed.at, normed.at + sentences.length * width)
    for (const [sentence, { length }] of sentences.entries()) {
      for (let row = starts[sentence]!; row < starts[sentence]! + length; row++)
        for (let i = 0; i < width; i++)
          floats[normed.at + sentence * width + i]! += floats[states.at + row * width + i]! / length
    }
    multiply(normed, output, mixed, sentences.length)
    return sentences.map((_, i) =>
      normalize(floats.slice(mixed.at + i * width, mixed.at + (i + 1) * width).map(Math.tanh)),
    )
  }

  return (sentences) => {
    const isEnglish = sentences.map(isInLanguage)
    const batches: number[][][] = [[]]
    let size = 0
    for (const sentence of sentences.filter((_, i) => isEnglish[i])) {
      const tokens = tokensOf(sentence).slice(0, maxTokens)
      size += tokens.length
      if (size <= maxBatch) batches.at(-1)!.push(tokens)
      else {
        batches.push([tokens])
        size = tokens.length
      }
    }
    const vectors = batches.flatMap(encodeBatch)
    return isEnglish.map((is) => (is ? vectors.shift() : undefined))
  }
}
