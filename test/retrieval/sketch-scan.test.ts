import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import wabt from 'wabt'
import { sketchBytes } from '../../shared/embedding/sketch.ts'
import { kernelCode, type QueryPlanes, scanSketches } from '../../shared/retrieval/meaning/sketch-scan.ts'

const source = new URL('../../shared/retrieval/meaning/sketch-scan.wat', import.meta.url)

test('the kernel is the compiled sketch-scan.wat', async () => {
  const { parseWat } = await wabt()
  // Not a Buffer: wabt would also read what follows it in Node's pool.
  const text = readFileSync(source, 'utf8')
  const { buffer } = parseWat('sketch-scan.wat', text, { simd: true }).toBinary({})
  expect(kernelCode).toBe(Buffer.from(buffer).toString('base64'))
})

test.each([0, 1, 1023, 1024, 1025, 5000])('%i sketches have the distances of a count bit by bit', (count) => {
  const planes = randomPlanes()
  // Not aligned, and with sketches before and behind.
  const sketches = randomBytes((count + 2) * sketchBytes).subarray(sketchBytes + 1)
  const distances = new Uint16Array(count + 1).fill(65_535)
  scanSketches(planes, sketches, count, distances)
  const expected = Array.from({ length: count }, (_, i) => distanceOf(planes, sketches.subarray(i * sketchBytes)))
  expect([...distances]).toEqual([...expected, 65_535])
})

test('distances go from 0 to 7 a bit', () => {
  const ones = new Uint8Array(sketchBytes).fill(255)
  const sketches = new Uint8Array(2 * sketchBytes).fill(255, sketchBytes)
  const distances = new Uint16Array(2)
  scanSketches({ high: ones, middle: ones, low: ones }, sketches, 2, distances)
  expect([...distances]).toEqual([10_752, 0])
})

test('a scan without room or without enough sketches fails, so that none has the distance of an earlier one', () => {
  const planes = randomPlanes()
  const sketches = randomBytes(2 * sketchBytes)
  expect(() => scanSketches(planes, sketches, 3, new Uint16Array(3))).toThrow('There are fewer than 3 sketches')
  expect(() => scanSketches(planes, sketches, 2, new Uint16Array(1))).toThrow(RangeError)
  const low = planes.low.subarray(1)
  expect(() => scanSketches({ ...planes, low }, sketches, 2, new Uint16Array(2))).toThrow('A plane must have 192 bytes')
})

function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.random() * 256)
}

function randomPlanes(): QueryPlanes {
  return { high: randomBytes(sketchBytes), middle: randomBytes(sketchBytes), low: randomBytes(sketchBytes) }
}

function distanceOf({ high, middle, low }: QueryPlanes, sketch: Uint8Array): number {
  let distance = 0
  for (let i = 0; i < sketchBytes; i++) {
    const x = sketch[i]!
    distance += 4 * ones(x ^ high[i]!) + 2 * ones(x ^ middle[i]!) + ones(x ^ low[i]!)
  }
  return distance
}

function ones(byte: number): number {
  let count = 0
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1
  return count
}
