const infinity = 0x7c00
const slot = Float64Array.BYTES_PER_ELEMENT
const [minus, comma, leftBracket, rightBracket] = [0x2d, 0x2c, 0x5b, 0x5d]

/** Texts of halves without their sign, eight bytes in a float64 each; length 0 until first needed. */
const texts = new Float64Array(infinity)
const lengths = new Uint8Array(infinity)

const maxDimensions = 16_000
const bytes = Buffer.alloc(1 + maxDimensions * (slot + 2))
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** pgvector's text of a `halfvec`, which is JSON too. @param halves bits of finite numbers; pgvector reads the same ones back */
export function printHalfvec(halves: Uint16Array): string {
  bytes[0] = leftBracket
  let at = 1
  for (let i = 0; i < halves.length; i++) {
    const half = halves[i]!
    // Overwritten unless negative: a branch could not be predicted.
    bytes[at] = minus
    at += half >>> 15
    const magnitude = half & 0x7fff
    if (lengths[magnitude] === 0) fill(magnitude)
    view.setFloat64(at, texts[magnitude]!, true)
    at += lengths[magnitude]!
    bytes[at++] = comma
  }
  bytes[at - 1] = rightBracket
  return bytes.toString('latin1', 0, at)
}

function fill(magnitude: number): void {
  const text = textOf(magnitude)
  Buffer.from(texts.buffer).write(text, magnitude * slot)
  lengths[magnitude] = text.length
}

const half = new Float16Array(1)
const halfBits = new Uint16Array(half.buffer)

function textOf(magnitude: number): string {
  halfBits[0] = magnitude
  const value = half[0]!
  for (let decimals = 0; ; decimals++) {
    const scaled = Math.round(value * 10 ** decimals)
    half[0] = Math.fround(scaled / 10 ** decimals)
    if (halfBits[0] === magnitude) return decimal(scaled, decimals)
  }
}

function decimal(scaled: number, decimals: number): string {
  const digits = String(scaled)
  if (decimals === 0) return digits
  if (digits.length > decimals) return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  const plain = `0.${digits.padStart(decimals, '0')}`
  const scientific = `${digits}e-${decimals}`
  return plain.length <= scientific.length ? plain : scientific
}
