type Numbers = typeof Float64Array | typeof Uint32Array | typeof Uint16Array | typeof Uint8Array

/** A ranking with more takes new memory for the rest. */
const maxBytes = 32 * 1024 * 1024

let memory = new ArrayBuffer(0)
let used = 0
let wanted = 0

/** Begins a ranking: its arrays take the memory of the one before. */
export function startOver(): void {
  const bytes = Math.min(wanted, maxBytes)
  if (bytes > memory.byteLength) memory = new ArrayBuffer(bytes)
  used = wanted = 0
}

/**
 * An array of zeros that lasts until the next ranking, so nothing that awaits may keep it. With new arrays for each question, Node.js would
 * collect its whole heap several times a second: 40 ms each time at 60,000 chunks.
 */
export function scratch<Type extends Numbers>(type: Type, length: number): InstanceType<Type> {
  const bytes = Math.ceil((length * type.BYTES_PER_ELEMENT) / 8) * 8
  wanted += bytes
  if (used + bytes > memory.byteLength) return new type(length) as InstanceType<Type>
  const array = new type(memory, used, length) as InstanceType<Type>
  used += bytes
  array.fill(0)
  return array
}
