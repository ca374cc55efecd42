/** The number of each 16-bit float (IEEE 754 binary16), by its bits: Node has a Float16Array only from 24 on. */
export const halfOf = Float32Array.from({ length: 0x10000 }, (_, bits) => {
  const exponent = (bits >>> 10) & 0x1f
  const fraction = bits & 0x3ff
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25)
  return bits & 0x8000 ? -magnitude : magnitude
})
