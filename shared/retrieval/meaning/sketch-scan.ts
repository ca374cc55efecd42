import { sketchBytes } from '../../embedding/sketch.ts'

/** The three planes of a question's sketch, 192 bytes each. */
export interface QueryPlanes {
  /** A bit that differs here counts 4. */
  high: Uint8Array
  /** 2. */
  middle: Uint8Array
  /** 1. */
  low: Uint8Array
}

/** The bytes of sketch-scan.wat, in base64: Lambda's bundles have no file beside them. */
export const kernelCode =
  'AGFzbQEAAAABCAFgBH9/f38AAwIBAAUDAQAEBxECBm1lbW9yeQIABHNjYW4AAAr/AQH8AQIDfwR7IABBwAFqIQUgAyACQQF0aiEGA0AgACEE/QwAAAAAAAAAAAAAAAAAAAAAIQj9DAAAAAAAAAAAAAAAAAAAAAAhCf0MAAAAAAAAAAAAAAAAAAAAACEKA0AgAf0ABAAhByAIIAcgBP0ABAD9Uf1i/W4hCCAJIAcgBP0ABMAB/VH9Yv1uIQkgCiAHIAT9AASAA/1R/WL9biEKIAFBEGohASAEQRBqIQQgBCAFRw0ACyAI/X1BAv2LASAJ/X1BAf2LAf2OASAK/X39jgEhByADIAf9HQAgB/0dAXxCgYCEgJCAwAB+QjCIPQEAIANBAmohAyADIAZHDQALCw=='

interface Kernel {
  memory: { buffer: ArrayBuffer }
  scan: (planes: number, sketches: number, count: number, distances: number) => void
}

// The types of Node.js lack it.
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: Kernel }
}

/** Few enough sketches that a processor's L2 cache holds the copy. */
const blockSize = 1024
const distancesAt = blockSize * sketchBytes
const planesAt = distancesAt + blockSize * Uint16Array.BYTES_PER_ELEMENT

let loaded: ReturnType<typeof load> | undefined

/**
 * Writes the distance of each of the `count` sketches that begin at `sketches[0]` to `distances[0..count)`.
 * A distance is the weighted number of bits that differ, from 0 to 10,752.
 */
export function scanSketches(planes: QueryPlanes, sketches: Uint8Array, count: number, distances: Uint16Array): void {
  if (sketches.length < count * sketchBytes) throw new RangeError(`There are fewer than ${count} sketches`)
  loaded ??= load()
  const { scan, bytes, blockDistances } = loaded
  for (const [i, plane] of [planes.high, planes.middle, planes.low].entries()) {
    if (plane.length !== sketchBytes) throw new RangeError(`A plane must have ${sketchBytes} bytes`)
    bytes.set(plane, planesAt + i * sketchBytes)
  }
  for (let first = 0; first < count; first += blockSize) {
    const size = Math.min(blockSize, count - first)
    bytes.set(sketches.subarray(first * sketchBytes, (first + size) * sketchBytes))
    scan(planesAt, 0, size, distancesAt)
    distances.set(blockDistances.subarray(0, size), first)
  }
}

/** Takes about a millisecond. All scans share the memory: none begins before another ends. */
function load() {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(kernelCode, 'base64')))
  const { buffer } = exports.memory
  const blockDistances = new Uint16Array(buffer, distancesAt, blockSize)
  return { scan: exports.scan, bytes: new Uint8Array(buffer), blockDistances }
}
