/** A tile of the product is so many rows high and columns wide. */
export const tileRows = 4
export const tileColumns = 8

/** Adds a tile of A · B to C: byte addresses of A's first row, of B's panel of `tileColumns` columns and of the tile in C. */
export type AddTile = (a: number, b: number, c: number, depth: number, strideOfA: number, strideOfC: number) => void

const [a, b, c, depth, strideOfA, strideOfC] = [0, 1, 2, 3, 4, 5]
const [factor, panel, sums] = [6, 7, 9]
const lanes = 4
const bytesOfVector = 16

const [i32, v128, noResult] = [0x7f, 0x7b, 0x40]
const [loop, end, branchIf] = [0x03, 0x0b, 0x0d]
const [add, subtract, multiply] = [0x6a, 0x6b, 0x6c]
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const keep = (local: number) => [0x22, local]
const constant = (number: number) => [0x41, number]
const simd = (operation: number) => [0xfd, ...unsigned(operation)]
const load = (offset: number) => [...simd(0x00), 4, offset]
const loadSplat = [...simd(0x09), 2, 0]
const store = (offset: number) => [...simd(0x0b), 4, offset]
/** The relaxed one is a single instruction where the processor has it. */
const multiplyAdd = simd(0x105)

const rows = Array.from({ length: tileRows }, (_, row) => row)
const vectors = Array.from({ length: tileColumns / lanes }, (_, vector) => vector)
const rowOf = (matrix: number, stride: number, row: number) => [
  ...get(matrix),
  ...get(stride),
  ...constant(row),
  multiply,
  add,
]
const sumOf = (row: number, vector: number) => sums + row * vectors.length + vector
const eachSum = (code: (row: number, vector: number) => number[]) =>
  rows.flatMap((row) => vectors.flatMap((vector) => code(row, vector)))
const advance = (local: number, bytes: number) => [...get(local), ...constant(bytes), add, ...set(local)]

const code = [
  ...[1, 1 + vectors.length + rows.length * vectors.length, v128],
  ...eachSum((row, vector) => [
    ...rowOf(c, strideOfC, row),
    ...load(vector * bytesOfVector),
    ...set(sumOf(row, vector)),
  ]),
  ...[loop, noResult],
  ...vectors.flatMap((vector) => [...get(b), ...load(vector * bytesOfVector), ...set(panel + vector)]),
  ...rows.flatMap((row) => [
    ...rowOf(a, strideOfA, row),
    ...loadSplat,
    ...set(factor),
    ...vectors.flatMap((vector) => [
      ...[...get(factor), ...get(panel + vector), ...get(sumOf(row, vector))],
      ...[...multiplyAdd, ...set(sumOf(row, vector))],
    ]),
  ]),
  ...advance(a, Float32Array.BYTES_PER_ELEMENT),
  ...advance(b, vectors.length * bytesOfVector),
  ...[...get(depth), ...constant(1), subtract, ...keep(depth), branchIf, 0, end],
  ...eachSum((row, vector) => [
    ...rowOf(c, strideOfC, row),
    ...get(sumOf(row, vector)),
    ...store(vector * bytesOfVector),
  ]),
  end,
]

/** TypeScript has these types for browsers only. */
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer }
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> }
}

export function newMemory(bytes: number): { buffer: ArrayBuffer } {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) })
}

const pageBytes = 65_536

/** WebAssembly, as plain JavaScript multiplies a number at a time. */
export function addTileIn(memory: object): AddTile {
  const module = new WebAssembly.Module(
    Uint8Array.from([
      ...[0, ...Buffer.from('asm'), 1, 0, 0, 0],
      ...section(1, [1, 0x60, addTileParameters, ...Array(addTileParameters).fill(i32), 0]),
      ...section(2, [1, ...text('js'), ...text('memory'), 2, 0, 1]),
      ...section(3, [1, 0]),
      ...section(7, [1, ...text('addTile'), 0, 0]),
      ...section(10, [1, ...unsigned(code.length), ...code]),
    ]),
  )
  const { exports } = new WebAssembly.Instance(module, { js: { memory } })
  return exports.addTile as AddTile
}

const addTileParameters = 6

function section(id: number, content: number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function text(name: string): number[] {
  return [name.length, ...Buffer.from(name)]
}

/** LEB128. */
function unsigned(number: number): number[] {
  return number < 128 ? [number] : [(number & 127) | 128, ...unsigned(number >>> 7)]
}
