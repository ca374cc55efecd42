import { field, float32, integer, type Pieces, text } from './protocol-buffers.ts'

/** A constant of the network: its shape, and its numbers row by row. */
export interface Weight {
  shape: number[]
  numbers: Float32Array
}

const heads = 4
const epsilon = 1e-6
const [float, int64] = [1, 7]
const opset = 17

/**
 * Universal Sentence Encoder lite's network as an ONNX model, which reads several sentences in a row. Its inputs are `tokens` and
 * their `positions` [tokens] in their sentences. `mask` [tokens, tokens] is added to what a token attends to; `means` [sentences,
 * tokens] is the share of each token in its sentence. Its output is `vectors` [sentences, 512], not normalized.
 */
export function onnxModel(weights: Map<string, Weight>, maxTokens: number): Buffer<ArrayBuffer> {
  const nodes: Pieces[] = []
  const constants = new Map<string, Pieces>()

  function add(op: string, inputs: string[], attributes: Pieces = [], outputs = [`${nodes.length}`]): string {
    const names = [...inputs.map((name) => text(1, name)), ...outputs.map((name) => text(2, name))]
    nodes.push(field(1, ...names, text(4, op), attributes))
    return outputs[0]!
  }
  function constant(
    name: string,
    type: number,
    shape: number[],
    { buffer, byteOffset, byteLength }: ArrayBufferView,
  ): string {
    const data = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
    const sizes = shape.map((size) => integer(1, size))
    constants.set(name, field(5, ...sizes, integer(2, type), text(8, name), field(9, [data])))
    return name
  }
  const shapeOf = (...sizes: number[]) =>
    constant(`shape ${sizes}`, int64, [sizes.length], BigInt64Array.from(sizes, BigInt))
  /** Finds the one weight with all parts in its name. */
  function find(...parts: string[]) {
    const [found, other] = [...weights].filter(([name]) => parts.every((part) => name.includes(part)))
    if (!found || other)
      throw new Error(`The encoder has no weight, or several, with ${parts.join(' and ')} in the name`)
    return { name: found[0], ...found[1] }
  }
  function weight(...parts: string[]): string {
    const { name, shape, numbers } = find(...parts)
    return constant(name, float, shape.slice(-2), numbers)
  }

  const sum = (a: string, b: string) => add('Add', [a, b])
  const linear = (x: string, weights: string, bias: string) => add('Gemm', [x, weights, bias])
  const norm = (x: string, layer: string) =>
    add(
      'LayerNormalization',
      [x, weight(layer, 'norm_scale'), weight(layer, 'norm_bias')],
      settingOf('epsilon', epsilon),
    )
  const transpose = (x: string, order: number[]) => add('Transpose', [x], settingOf('perm', order))

  function attention(x: string, layer: string): string {
    const size = find(layer, 'qkv', 'kernel').shape.at(-1)! / 3 / heads
    const scale = constant(`${layer} scale`, float, [], find(layer, 'MultiheadAttention/mul/y').numbers)
    const [query, key, value] = [`${layer} query`, `${layer} key`, `${layer} value`] as const
    const joined = linear(
      norm(x, `${layer}layer_prepostprocess`),
      weight(layer, 'qkv', 'kernel'),
      weight(layer, 'qkv', 'bias'),
    )
    add('Split', [joined], settingOf('axis', 1), [query, key, value])
    const split = (part: string, order: number[]) => transpose(add('Reshape', [part, shapeOf(-1, heads, size)]), order)
    const products = add('MatMul', [add('Mul', [split(query, [1, 0, 2]), scale]), split(key, [1, 2, 0])])
    const mixed = add('MatMul', [add('Softmax', [sum(products, 'mask')]), split(value, [1, 0, 2])])
    const output = add('Reshape', [transpose(mixed, [1, 0, 2]), shapeOf(-1, heads * size)])
    return linear(output, weight(layer, 'output_transform', 'kernel'), weight(layer, 'output_transform', 'bias'))
  }
  function feedForward(x: string, layer: string): string {
    const inner = linear(norm(x, `${layer}FFN/`), weight(layer, 'conv1/Tensordot'), weight(layer, 'conv1/bias'))
    return linear(add('Relu', [inner]), weight(layer, 'conv2/Tensordot'), weight(layer, 'conv2/bias'))
  }

  const [first, second] = ['Layer_0/TransformerLayer/', 'Layer_1/TransformerLayer/'] as const
  const { numbers: frequencies } = find('TimingSignal/ExpandDims')
  const signal = constant('signal', float, [maxTokens, 2 * frequencies.length], timingSignal(frequencies, maxTokens))
  const embedded = add('Gather', [weight('Embeddings_en'), 'tokens'])
  const input = sum(embedded, sum(embedded, add('Gather', [signal, 'positions'])))
  const widened = linear(input, weight(first, 'dense/kernel'), weight(first, 'dense/bias'))
  let x = sum(widened, attention(input, first))
  x = sum(x, feedForward(x, first))
  x = sum(x, attention(x, second))
  x = sum(x, feedForward(x, second))
  add('Tanh', [linear(add('MatMul', ['means', x]), weight('tanh', 'weights'), weight('tanh', 'bias'))], [], ['vectors'])

  const inputs = [tensor(11, 'tokens', int64, 1), tensor(11, 'positions', int64, 1), tensor(11, 'mask', float, 2)]
  const ends = [...inputs, tensor(11, 'means', float, 2), tensor(12, 'vectors', float, 2)]
  const graph = field(7, ...nodes, text(2, 'encoder'), ...constants.values(), ...ends)
  return Buffer.concat([...integer(1, 8), ...graph, ...field(8, integer(2, opset))])
}

function timingSignal(frequencies: Float32Array, length: number): Float32Array {
  const rows = Array.from({ length }, (_, position) => [...frequencies.map((frequency) => position * frequency)])
  return Float32Array.from(rows.flatMap((angles) => [...angles.map(Math.sin), ...angles.map(Math.cos)]))
}

/** An input (11) or output (12) with axes of any size. */
function tensor(kind: number, name: string, type: number, axes: number): Pieces {
  const shape = Array.from({ length: axes }, (_, axis) => field(1, text(2, `${name} ${axis}`)))
  return field(kind, text(1, name), field(2, field(1, integer(1, type), field(2, ...shape))))
}

function settingOf(name: string, value: number | number[]): Pieces {
  if (Array.isArray(value)) return field(5, text(1, name), ...value.map((each) => integer(8, each)), integer(20, 7))
  if (Number.isInteger(value)) return field(5, text(1, name), integer(3, value), integer(20, 2))
  return field(5, text(1, name), float32(2, value), integer(20, 1))
}
