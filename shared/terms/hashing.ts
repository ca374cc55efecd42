export const hashSeed = 0x811c9dc5

/** FNV-1a, 32 bits, over UTF-16 code units, with murmur3's finalizer. */
export function hashOf(text: string): number {
  let hash = hashSeed
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i))
  return finalized(hash)
}

export function mixed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

export function finalized(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
