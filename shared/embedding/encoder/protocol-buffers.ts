/** A message in pieces, so that large data is copied only once, at the end. */
export type Pieces = Uint8Array[]

const [number, bytes, float] = [0, 2, 5]

export function field(of: number, ...parts: Pieces[]): Pieces {
  const pieces = parts.flat()
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return [varint((of << 3) | bytes), varint(length), ...pieces]
}

export function text(of: number, value: string): Pieces {
  return field(of, [Buffer.from(value)])
}

export function integer(of: number, value: number): Pieces {
  return [varint((of << 3) | number), varint(value)]
}

export function float32(of: number, value: number): Pieces {
  return [varint((of << 3) | float), new Uint8Array(Float32Array.of(value).buffer)]
}

function varint(value: number): Uint8Array {
  const digits: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) digits.push((value % 128) | 128)
  return Uint8Array.of(...digits, value)
}
